import { aux, DERIVED, main } from './form.ts';
import { A2A2A2, AA, AAA, AABLA, AABUA, MM, MMM } from './format.ts';

/** Byte, half-word and word permutations; IPU21 has most of them in both pipes. */
export const PERMUTE = [
  // Main pipe. Of the two-source forms only sort8x8lo and sort4x16lo are recorded; the others follow the
  // alphabetical order of the 0x44000000 table, four to a row, which every recorded neighbour confirms.
  main('bitrev8.mm', 0x42000000, MM),
  main('roll16.mmm', 0x44000302, MMM, DERIVED),
  main('roll8l.mmm', 0x44000303, MMM, DERIVED),
  main('roll8r.mmm', 0x44000400, MMM, DERIVED),
  main('shuf8x8hi.mmm', 0x44000500, MMM, DERIVED),
  main('shuf8x8lo.mmm', 0x44000501, MMM, DERIVED),
  main('sort4x16hi.mmm', 0x44000502, MMM, DERIVED),
  main('sort4x16lo.mmm', 0x44000503, MMM),
  main('sort8.mm', 0x42004000, MM),
  main('sort8x8hi.mmm', 0x44000600, MMM, DERIVED),
  main('sort8x8lo.mmm', 0x44000601, MMM),
  main('swap8.mm', 0x42005000, MM, DERIVED),
  // Auxiliary pipe.
  aux('roll16.aaa', 0x58000604, AAA),
  aux('roll32.a2a2a2', 0x58000607, A2A2A2),
  aux('roll8l.aaa', 0x58000605, AAA),
  aux('roll8r.aaa', 0x58000606, AAA),
  aux('shuf8x8hi.aaa', 0x58000800, AAA),
  aux('shuf8x8lo.aaa', 0x58000801, AAA),
  aux('sort4x16hi.aaa', 0x58000608, AAA, DERIVED),
  aux('sort4x16hi.aaBLa', 0x58080608, AABLA),
  aux('sort4x16lo.aaa', 0x5800060c, AAA, DERIVED),
  aux('sort4x16lo.aaBUa', 0x580c060c, AABUA),
  aux('sort4x32hi.a2a2a2', 0x5800060b, A2A2A2),
  aux('sort4x32lo.a2a2a2', 0x5800060f, A2A2A2),
  aux('sort8.aa', 0x52007b00, AA),
  aux('sort8x8hi.aaa', 0x58000802, AAA),
  aux('sort8x8lo.aaa', 0x58000803, AAA),
  aux('swap8.aa', 0x52007c00, AA),
] as const;
