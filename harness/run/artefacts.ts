import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorPicture } from '../judge/index.ts';
import { makeFolders } from '../record/folders.ts';
import type { RecordArtefact } from '../record/index.ts';
import type { CaseTrace } from './execute-case.ts';
import { heatMap } from './heat-map.ts';

/** Twelve hexadecimal digits that stand for a case line in file names. */
export function caseHash(line: string): string {
  return createHash('sha256').update(line, 'utf8').digest('hex').slice(0, 12);
}

/**
 * Writes the error maps of a case's wrong outputs, as picture and as text, to `cases/<hash>/` of a run directory.
 * Returns what it wrote; nothing for a case without wrong elements.
 */
export function writeErrorMaps(trace: CaseTrace, runPath: string): RecordArtefact[] {
  const artefacts: RecordArtefact[] = [];
  const folder = `cases/${caseHash(trace.record.case)}`;
  for (const judgement of trace.judgement?.outputs ?? []) {
    if (judgement.mismatches.length === 0) continue;
    const name = judgement.tensor.replace(/[^A-Za-z0-9._-]/g, '_');
    const picture = errorPicture(judgement);
    const text = heatMap(judgement);
    makeFolders(join(runPath, folder));
    if (picture !== undefined) {
      const file = `${folder}/error-map-${name}.png`;
      writeFileSync(join(runPath, file), picture);
      artefacts.push({ name: `error map of ${judgement.tensor}`, file, contentType: 'image/png' });
    }
    if (text !== undefined) {
      const file = `${folder}/error-map-${name}.txt`;
      writeFileSync(join(runPath, file), `${text}\n`);
      artefacts.push({ name: `error map of ${judgement.tensor} as text`, file, contentType: 'text/plain' });
    }
  }
  return artefacts;
}
