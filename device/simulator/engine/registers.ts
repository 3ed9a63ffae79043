// Register files of a context, and operands of a decoded instruction.
import { KINDS, VALUES } from './decode';
import { A, M } from './state';

/** Register number or immediate of an operand. */
// @ts-ignore: decorator
@inline
export function field(e: usize, operand: usize): i32 {
  return load<i32>(e + (operand << 2), VALUES);
}

// @ts-ignore: decorator
@inline
export function getM(c: usize, register: i32): i32 {
  return load<i32>(c + (<usize>register << 2), M);
}

// @ts-ignore: decorator
@inline
export function setM(c: usize, register: i32, value: i32): void {
  if (register != 15) store<i32>(c + (<usize>register << 2), value, M);
}

// @ts-ignore: decorator
@inline
export function getA(c: usize, register: i32): u32 {
  return load<u32>(c + (<usize>register << 2), A);
}

// @ts-ignore: decorator
@inline
export function setA(c: usize, register: i32, value: u32): void {
  if (register < 14) store<u32>(c + (<usize>register << 2), value, A);
}

/** Value of an operand that is an m register or an immediate. */
// @ts-ignore: decorator
@inline
export function value(c: usize, e: usize, operand: usize): i32 {
  const number = field(e, operand);
  return load<u8>(e + operand, KINDS) == 2 ? number : getM(c, number);
}

// @ts-ignore: decorator
@inline
export function set64(c: usize, register: i32, host: usize): void {
  if (register < 14) store<u64>(c + (<usize>register << 2), load<u64>(host), A);
}

// @ts-ignore: decorator
@inline
export function get64(c: usize, register: i32): u64 {
  return load<u64>(c + (<usize>register << 2), A);
}

export function set128(c: usize, register: i32, host: usize): void {
  set64(c, register, host);
  set64(c, register + 2, host + 8);
}

/** base + delta + unit x offset of a plain access whose address operands start at `first`. */
// @ts-ignore: decorator
@inline
export function plain(c: usize, e: usize, first: usize, unit: i32): u32 {
  return getM(c, field(e, first)) + getM(c, field(e, first + 1)) + unit * value(c, e, first + 2);
}

/** base + delta of a stepping access; the delta register advances. */
// @ts-ignore: decorator
@inline
export function stepped(c: usize, e: usize, first: usize, unit: i32): u32 {
  const delta = field(e, first + 1);
  const old = getM(c, delta);
  const address = getM(c, field(e, first)) + old;
  setM(c, delta, old + unit * value(c, e, first + 2));
  return address;
}
