import { encode, type LogicalTile, m, NEUTRAL_SOURCE, physicalTileOf } from '../../device/ipu21/index.ts';
import type { Application, Binding } from '../../device/package/index.ts';
import type { Files, PlantedDefect } from './defect.ts';
import { is, once, operandOf, patchCode, patchTables, symbol, withOperand } from './patch.ts';

/** Twelve tiles, gather of both operands, two K pieces, tails in every dimension. */
const SHAPE = 'gemm/m=37,k=100,n=69,in=f16,acc=f16,out=f16,tiles=12';
const PLAN = 'seed=1,plan=2x3x2';
const INT = `${SHAPE},fill=int,${PLAN}`;
const NORMAL = `${SHAPE},fill=normal,${PLAN}`;
const SIGNATURE = `${SHAPE},fill=onehot,${PLAN}`;
/** One tile, several panels and groups, no exchange. */
const ALONE = 'gemm/m=29,k=80,n=48,in=f16,acc=f16,out=f16,tiles=1,fill=int,seed=1';

const FNOP = encode('fnop', []);
const tile = (logical: number): number => physicalTileOf(logical as LogicalTile);

const f16 = (file: Uint8Array): Uint16Array =>
  new Uint16Array(file.buffer, file.byteOffset, file.byteLength / 2);
const output = (files: Files): Uint16Array => f16(files.get('c') as Uint8Array);

/** Swaps the values of two runs of 16-bit elements. */
function swap(data: Uint16Array, x: number, y: number, count: number): void {
  const kept = data.slice(x, x + count);
  data.copyWithin(x, y, y + count);
  data.set(kept, y);
}

/** The first ordinary element of an output: finite and not zero. */
function ordinary(data: Uint16Array): number {
  return data.findIndex((code) => (code & 0x7fff) !== 0 && (code & 0x7c00) !== 0x7c00);
}

/** Applies a change to one binding of a package. */
const rebind = (
  application: Application,
  name: string,
  change: (binding: Binding) => Binding,
): Application => ({
  ...application,
  inputs: application.inputs.map((binding) => (binding.name === name ? change(binding) : binding)),
  outputs: application.outputs.map((binding) => (binding.name === name ? change(binding) : binding)),
});

/** Changes the n-th instruction of a kind on one tile. */
const onTile = (physical: number, mnemonic: string, skip = 0) => {
  let seen = 0;
  return once((site) => site.physicalTile === physical && is(mnemonic)(site) && seen++ === skip);
};

/** Every defect the suite must catch. Kernel and schedule defects are patches of machine words. */
export const plantedDefects: readonly PlantedDefect[] = [
  {
    name: 'wrong lane',
    layer: 'kernel',
    imitates: 'two columns’ coefficients loaded in each other’s place',
    cases: [INT, NORMAL],
    sabotage: {
      application: (app) =>
        patchCode(app, (site) => {
          if (!is('ld128putcs')(site)) return undefined;
          const swapped = new Map([
            [0, 4],
            [4, 0],
            [2, 6],
            [6, 2],
          ]).get(operandOf(site, 0));
          return swapped === undefined ? undefined : withOperand(site, 0, swapped);
        }),
    },
    pattern: /column/,
  },
  {
    name: 'dropped K group',
    layer: 'kernel',
    imitates: 'loop count one too small',
    cases: [INT, NORMAL],
    sabotage: {
      application: (app) => {
        const call = symbol(app, 'gemm');
        let groups: number | undefined;
        return patchCode(app, (site) => {
          if (site.physicalTile !== tile(0) || site.address < call) return undefined;
          if (!is('setzi')(site) || operandOf(site, 0) !== 5 || groups !== undefined) return undefined;
          groups = operandOf(site, 1);
          return groups > 0 ? withOperand(site, 1, groups - 1) : undefined;
        });
      },
    },
  },
  {
    name: 'wrong matrix phase',
    layer: 'kernel',
    imitates: 'phase flag of one matrix step',
    cases: [INT, NORMAL],
    sabotage: {
      application: (app) => {
        const start = symbol(app, 'gemm.start');
        const pick = new Map<number, boolean>();
        return patchCode(app, (site) => {
          if (!is('f16v4hihov4amp')(site) || site.address < start || pick.get(site.physicalTile))
            return undefined;
          if (operandOf(site, 3) !== 2) return undefined;
          pick.set(site.physicalTile, true);
          return withOperand(site, 3, 1);
        });
      },
    },
  },
  {
    name: 'stale coefficients',
    layer: 'kernel',
    imitates: 'two channels keep the coefficients of the last launch',
    cases: [INT, ALONE],
    sabotage: {
      application: (app) => {
        const group = symbol(app, 'gemm.group');
        return patchCode(app, (site) =>
          // Another entry takes the data, so the load address still advances.
          is('ld128putcs')(site) && site.address > group && operandOf(site, 0) === 8
            ? withOperand(site, 0, 62)
            : undefined,
        );
      },
    },
  },
  {
    name: 'accumulators not cleared',
    layer: 'kernel',
    imitates: 'sums of the last launch leak into the next panel',
    cases: [ALONE],
    sabotage: {
      application: (app) => {
        const start = symbol(app, 'gemm.start');
        const later = symbol(app, 'gemm.nextGroup');
        return patchCode(app, (site) =>
          is('uput')(site) && site.address > start && site.address < later ? FNOP : undefined,
        );
      },
    },
  },
  {
    name: 'worker leaves at once',
    layer: 'kernel',
    imitates: 'entry point of the first group returns immediately',
    cases: [INT, NORMAL],
    sabotage: {
      application: (app) => {
        const first = symbol(app, 'gemm.first');
        return patchCode(app, (site) =>
          site.address === first && site.physicalTile === tile(5) ? encode('exitz', [m(15)]) : undefined,
        );
      },
    },
  },
  {
    name: 'truncating rounding',
    layer: 'kernel',
    imitates: 'rounding mode toward zero in FP_ICTL',
    cases: [NORMAL],
    sabotage: {
      application: (app) => {
        const start = symbol(app, 'gemm');
        return patchCode(app, (site) => {
          // The word before `put FP_ICTL` becomes the mode: setzi m14 is what nop is, m0 is scratch.
          if (!is('put')(site) || operandOf(site, 0) !== 0x20 || site.address < start) return undefined;
          return withOperand(site, 1, m(0));
        });
      },
    },
  },
  {
    name: 'one worker a row short',
    layer: 'tables',
    imitates: 'row partition off by one',
    cases: [INT, NORMAL],
    sabotage: {
      application: (app) =>
        patchTables(app, (image, segment, words) => {
          if (image.physicalTile !== tile(0) || segment.data.byteLength !== 96) return false;
          words[2] -= 1;
          return true;
        }),
    },
  },
  {
    name: 'result rows shifted',
    layer: 'tables',
    imitates: 'output pointer one row too far',
    cases: [INT, SIGNATURE],
    sabotage: {
      application: (app) =>
        patchTables(app, (_image, segment, words) => {
          if (segment.data.byteLength !== 96) return false;
          for (let worker = 0; worker < 6; worker++) words[worker * 4 + 1] += 32;
          return true;
        }),
    },
  },
  {
    name: 'partial left out',
    layer: 'tables',
    imitates: 'reduction counts one summand too few',
    cases: ['gemm/m=37,k=100,n=69,in=f16,acc=f16,out=f16,tiles=9,fill=int,seed=1,plan=1x3x3'],
    sabotage: {
      application: (app) =>
        patchTables(app, (_image, segment, words) => {
          if (segment.data.byteLength !== 144) return false;
          for (let worker = 0; worker < 6; worker++) words[worker * 6 + 5] -= 1;
          return true;
        }),
    },
  },
  {
    name: 'reduction slots misplaced',
    layer: 'tables',
    imitates: 'stride between staged partials wrong',
    cases: ['gemm/m=37,k=100,n=69,in=f16,acc=f16,out=f16,tiles=9,fill=int,seed=1,plan=1x3x3'],
    sabotage: {
      application: (app) =>
        patchTables(app, (_image, segment, words) => {
          if (segment.data.byteLength !== 144) return false;
          for (let worker = 0; worker < 6; worker++) words[worker * 6 + 4] -= 1;
          return true;
        }),
    },
  },
  {
    name: 'wrong multicast source',
    layer: 'schedule',
    imitates: 'receiver listens to the neighbour',
    cases: [INT, NORMAL],
    sabotage: {
      application: (app) => {
        const here = onTile(tile(3), 'delayxpic');
        return patchCode(app, (site) => {
          if (!here(site)) return undefined;
          const source = operandOf(site, 2);
          return withOperand(site, 2, source === tile(1) ? tile(2) : tile(1));
        });
      },
    },
  },
  {
    name: 'source selected one event late',
    layer: 'schedule',
    imitates: 'route latency off by one',
    cases: [INT, NORMAL],
    sabotage: {
      application: (app) => {
        const here = onTile(tile(3), 'delayxpic');
        return patchCode(app, (site) =>
          here(site) ? withOperand(site, 0, operandOf(site, 0) + 1) : undefined,
        );
      },
    },
  },
  {
    name: 'sender one event late',
    layer: 'schedule',
    imitates: 'send start off by one on one tile',
    cases: [INT, NORMAL],
    sabotage: {
      application: (app) => {
        const here = onTile(tile(0), 'delay');
        return patchCode(app, (site) =>
          here(site) ? withOperand(site, 0, operandOf(site, 0) + 1) : undefined,
        );
      },
    },
  },
  {
    name: 'receive pointer one word off',
    layer: 'schedule',
    imitates: 'destination address in bytes and words confused by one',
    cases: [INT, NORMAL],
    sabotage: {
      application: (app) => {
        const here = onTile(tile(4), 'delaypic');
        return patchCode(app, (site) =>
          here(site) ? withOperand(site, 2, operandOf(site, 2) + 1) : undefined,
        );
      },
    },
  },
  {
    name: 'wrong fabric direction',
    layer: 'schedule',
    imitates: 'direction mask of a multicast reaches one side only',
    cases: [INT],
    sabotage: {
      application: (app) =>
        patchCode(app, (site) =>
          is('send')(site) && operandOf(site, 2) === 3 ? withOperand(site, 2, 2) : undefined,
        ),
    },
  },
  {
    name: 'source released early',
    layer: 'schedule',
    imitates: 'ownership of a stream three events too short',
    cases: [INT, NORMAL],
    sabotage: {
      application: (app) =>
        patchCode(app, (site) => {
          if (!is('delayxpic')(site) || operandOf(site, 2) !== NEUTRAL_SOURCE) return undefined;
          return operandOf(site, 0) < 3 ? undefined : withOperand(site, 0, operandOf(site, 0) - 3);
        }),
    },
  },
  {
    name: 'row ends too early',
    layer: 'schedule',
    imitates: 'code goes on while words are still arriving',
    cases: [INT],
    sabotage: {
      application: (app) => {
        // The last delay of a row is what waits for the last word.
        const last = new Map<number, number>();
        for (const image of app.tiles)
          patchCode({ ...app, tiles: [image] }, (site) => {
            if (is('delay')(site)) last.set(site.physicalTile, site.address);
            return is('delay')(site) ? site.instruction.operands : undefined;
          });
        return patchCode(app, (site) =>
          last.get(site.physicalTile) === site.address ? withOperand(site, 0, 0) : undefined,
        );
      },
    },
  },
  {
    name: 'row runs from a data element',
    layer: 'schedule',
    imitates: 'received words written over the code',
    cases: [INT],
    sabotage: {
      application: (app) => {
        const here = onTile(tile(2), 'delaypic');
        return patchCode(app, (site) => (here(site) ? withOperand(site, 2, 0x5c800 / 4) : undefined));
      },
    },
  },
  {
    name: 'output slices exchanged',
    layer: 'package',
    imitates: 'two tiles swapped in the output binding',
    cases: [INT, NORMAL],
    sabotage: {
      application: (app) =>
        rebind(app, 'c', (binding) => {
          const slices = [...binding.slices];
          const other = slices.findIndex((slice, index) => index > 0 && slice.size === slices[0].size);
          slices[0] = { ...slices[0], tile: binding.slices[other].tile };
          slices[other] = { ...slices[other], tile: binding.slices[0].tile };
          return { ...binding, slices };
        }),
    },
  },
  {
    name: 'operand at the wrong tile',
    layer: 'package',
    imitates: 'input binding sends a block to its neighbour',
    cases: [INT, NORMAL],
    sabotage: {
      application: (app) =>
        rebind(app, 'a', (binding) => {
          const slices = [...binding.slices];
          slices[0] = { ...slices[0], tile: binding.slices[1].tile };
          slices[1] = { ...slices[1], tile: binding.slices[0].tile };
          return { ...binding, slices };
        }),
    },
  },
  {
    name: 'truncated package',
    layer: 'package',
    imitates: 'a write that did not finish',
    cases: [INT],
    sabotage: { bytes: (bytes) => bytes.slice(0, bytes.byteLength - 64) },
  },
  {
    name: 'padding not masked',
    layer: 'inputs',
    imitates: 'the K tail holds ones instead of zeros',
    cases: [INT, NORMAL],
    sabotage: {
      inputs: (inputs) => {
        // k = 100 leaves 12 padded inner values in the last group; with exact fills ones are visible.
        for (const name of ['a', 'b']) {
          const data = f16(inputs.get(name) as Uint8Array);
          for (let run = 0; run < data.length; run += 16)
            if (data.subarray(run + 4, run + 16).every((code) => code === 0))
              data.fill(0x3c00, run + 4, run + 16);
        }
      },
    },
  },
  {
    name: 'padding holds NaN',
    layer: 'inputs',
    imitates: 'poison multiplied with a zero of the other operand',
    cases: [INT],
    sabotage: {
      inputs: (inputs) => {
        const data = f16(inputs.get('a') as Uint8Array);
        for (let run = 0; run < data.length; run += 16)
          if (data.subarray(run + 4, run + 16).every((code) => code === 0))
            data.fill(0x7e00, run + 4, run + 16);
      },
    },
  },
  {
    name: 'one wrong operand bit',
    layer: 'inputs',
    imitates: 'a flipped sign in one coefficient',
    cases: [INT, NORMAL],
    sabotage: {
      inputs: (inputs) => {
        const data = f16(inputs.get('b') as Uint8Array);
        data[ordinary(data)] ^= 0x8000;
      },
    },
    pattern: /column/,
  },
  {
    name: 'flipped bit in an argument table',
    layer: 'sram',
    imitates: 'memory damaged after loading',
    cases: [INT],
    sabotage: {
      sram: (device, application) => {
        const image = application.tiles.find((entry) => entry.physicalTile === tile(1));
        const table = image?.segments.find((segment) => segment.data.byteLength === 96);
        if (table === undefined) throw new Error('no argument table to damage');
        const address = table.address + 4;
        const data = device.readTile(tile(1), address, 4);
        data[0] ^= 0x20;
        device.writeTile(tile(1), address, data);
      },
    },
  },
  {
    name: 'flipped bit in kernel code',
    layer: 'sram',
    imitates: 'an instruction word damaged after loading',
    cases: [INT],
    sabotage: {
      sram: (device, application) => {
        // Bit 0 of the first coefficient load: another entry.
        const address = symbol(application, 'gemm.panel');
        const data = device.readTile(tile(6), address, 4);
        data[0] ^= 1;
        device.writeTile(tile(6), address, data);
      },
    },
  },
  {
    name: 'stale output',
    layer: 'results',
    imitates: 'the host reads what the last run left',
    cases: [INT, NORMAL],
    sabotage: { outputs: (outputs, stale) => void outputs.set('c', stale.get('c') as Uint8Array) },
  },
  {
    name: 'columns exchanged',
    layer: 'results',
    imitates: 'two lanes swapped on the way to the host',
    cases: [INT, NORMAL, SIGNATURE],
    sabotage: {
      outputs: (outputs) => {
        const data = output(outputs);
        for (let run = 0; run < data.length; run += 16) swap(data, run + 1, run + 6, 1);
      },
    },
    pattern: /column/,
  },
  {
    name: 'rows exchanged',
    layer: 'results',
    imitates: 'two rows of a block swapped',
    cases: [INT, NORMAL],
    sabotage: { outputs: (outputs) => swap(output(outputs), 0, 32, 16) },
  },
  {
    name: 'one ULP',
    layer: 'results',
    imitates: 'a last-bit error in one element',
    cases: [INT],
    sabotage: {
      outputs: (outputs) => {
        const data = output(outputs);
        data[ordinary(data)] += 1;
      },
    },
    pattern: /single-element/,
  },
  {
    name: 'one NaN',
    layer: 'results',
    imitates: 'a NaN that a tolerance check would let pass',
    cases: [INT, NORMAL],
    sabotage: {
      outputs: (outputs) => {
        output(outputs)[3] = 0x7e00;
      },
    },
  },
  {
    name: 'gain of 1.01',
    layer: 'results',
    imitates: 'a scale applied twice',
    cases: [NORMAL],
    sabotage: {
      outputs: (outputs) => {
        const data = output(outputs);
        // Ten steps of the last place are about one percent.
        for (let index = 0; index < data.length; index++)
          if ((data[index] & 0x7c00) > 0x0400 && (data[index] & 0x7c00) < 0x7800) data[index] += 10;
      },
    },
  },
  {
    name: 'region never written',
    layer: 'results',
    imitates: 'a block of the output was not stored',
    cases: [INT, NORMAL],
    sabotage: { outputs: (outputs) => void output(outputs).fill(0x7ef1, 32, 96) },
    pattern: /unwritten/,
  },
  {
    name: 'all zero',
    layer: 'results',
    imitates: 'a kernel that did nothing',
    cases: [INT, NORMAL],
    sabotage: { outputs: (outputs) => void output(outputs).fill(0) },
    pattern: /zeroed/,
  },
  {
    name: 'padding of the output dirty',
    layer: 'results',
    imitates: 'a column beyond the matrix was written',
    cases: [INT],
    sabotage: {
      outputs: (outputs) => {
        const data = output(outputs);
        // n = 69 leaves 11 padded columns in the last panel of the last block.
        data[data.length - 1] = 0x3c00;
      },
    },
  },
];
