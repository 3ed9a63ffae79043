import type { RelocationType } from './model.ts';

export type ObjectFacts = Readonly<Record<string, number | string>>;

/**
 * An object file is broken or of another machine, or a model cannot be written. Everything this folder throws
 * is an `ObjectError`; the subclasses say more.
 */
export class ObjectError extends Error {
  /** Name of the object to blame, as its model says. */
  readonly object: string;
  /** The numbers and names behind the message. */
  readonly facts: ObjectFacts;

  constructor(object: string, detail: string, facts: ObjectFacts = {}) {
    super(`${object}: ${detail}`);
    this.name = 'ObjectError';
    this.object = object;
    this.facts = facts;
  }
}

/** Why objects do not join, one code per rule of the linker. */
export type LinkRule =
  | 'invalid-placement'
  | 'duplicate-symbol'
  | 'missing-retained-symbol'
  | 'undefined-symbol'
  | 'discarded-section'
  | 'no-room'
  | 'not-executable';

/** A link failed. `objects` are all objects concerned, e.g. both that define a name. */
export class LinkError extends ObjectError {
  readonly rule: LinkRule;
  readonly objects: readonly string[];

  constructor(rule: LinkRule, objects: readonly string[], detail: string, facts: ObjectFacts = {}) {
    super(objects.join(', ') || 'link', detail, facts);
    this.name = 'LinkError';
    this.rule = rule;
    this.objects = objects;
  }
}

/** Legal values of a relocation: `min`, `min + step`, ..., `max`. */
export interface ValueRange {
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

/** Where a relocation stands and what it was asked to store. */
export interface RelocationSite {
  readonly object: string;
  readonly section: string;
  /** Offset of the patched bytes in the section. */
  readonly offset: number;
  readonly type: RelocationType;
  readonly symbol: string;
  /** Symbol address + addend. */
  readonly value: number;
}

/** The value of a relocation does not fit its field, or the field lies outside the section. */
export class RelocationError extends ObjectError {
  readonly fault: 'unrepresentable' | 'misaligned' | 'outside';
  readonly site: RelocationSite;
  readonly range: ValueRange;

  constructor(fault: 'unrepresentable' | 'misaligned' | 'outside', site: RelocationSite, range: ValueRange) {
    const place = `${site.section}+${hex(site.offset)}, symbol ${site.symbol || '(none)'}`;
    const legal = `${hex(range.min)}..${hex(range.max)} in steps of ${range.step}`;
    super(
      site.object,
      fault === 'outside'
        ? `relocation outside section: type ${site.type} at ${place}`
        : `${fault} relocation type ${site.type} value ${hex(site.value)} at ${place}; legal: ${legal}`,
    );
    this.name = 'RelocationError';
    this.fault = fault;
    this.site = site;
    this.range = range;
  }
}

export const hex = (value: number): string =>
  value < 0 ? `-0x${(-value).toString(16)}` : `0x${value.toString(16)}`;
