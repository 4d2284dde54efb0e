import { appendFile, mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import { readLinesBackwards, rotate } from '../../../engine/common/log-lines.js';
import { parseCelLine } from '../../../engine/asterisk/cel/cel-line.js';
import { CelRecords } from '../../../engine/asterisk/cel/cel-records.js';
import { farHalfOf, legIdOf } from '../../../engine/asterisk/leg-id.js';
import { quiet } from '../../support/logger.js';

const ENTITY = '02:fc:00:00:00:01';
const START = 1_795_281_391;

function celLine(event: string, seconds: number, channelId: string, channel: string, extra = ''): string {
  return `"${event}","${seconds.toFixed(6)}","${channelId}","${channelId}","${channel}","${extra}"`;
}
const hangup = (cause: number, source: string): string =>
  `{""hangupcause"":${cause},""hangupsource"":""${source}"",""dialstatus"":""""}`;

describe("Asterisk's channel event log", () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hatif-cel-'));
    file = join(folder, 'hatif.csv');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  describe('a line', () => {
    it('has the event, the channel and the time, truncated to milliseconds', () => {
      const line = celLine('HANGUP', START + 0.096837, 'id', 'PJSIP/a-1', hangup(17, 'PJSIP/a-1'));
      expect(parseCelLine(line)).to.deep.equal({
        event: 'HANGUP',
        at: new Date(START * 1000 + 96),
        channelId: 'id',
        channel: 'PJSIP/a-1',
        hangup: { cause: 17, source: 'PJSIP/a-1' },
      });
      expect(parseCelLine(celLine('ANSWER', START, 'id', 'PJSIP/a-1'))).to.deep.include({ hangup: null });
    });

    it('may have unreadable details of a hangup', () => {
      const line = parseCelLine(celLine('HANGUP', START, 'id', 'PJSIP/a-1', 'none'));
      expect(line?.hangup).to.deep.equal({ cause: 0, source: '' });
    });

    const whole = celLine('CHAN_START', START, 'id', 'PJSIP/a-1');
    for (const broken of [
      '',
      whole.slice(3),
      whole.slice(0, -1),
      `${whole},"more"`,
      whole.replace(`${START}`, 'now'),
    ]) {
      it(`is rejected: ${broken}`, () => {
        expect(parseCelLine(broken)).to.equal(null);
      });
    }
  });

  describe('the file', () => {
    const read = async (maxBytes = 1_000_000): Promise<string[]> => {
      const lines: string[] = [];
      for await (const line of readLinesBackwards(file, maxBytes)) lines.push(line);
      return lines;
    };

    it('is read from its end, followed by the rotated file', async () => {
      await writeFile(`${file}.1`, 'one\ntwo\n');
      await writeFile(file, 'three\nfour\n');
      expect(await read()).to.deep.equal(['four', 'three', 'two', 'one']);
    });

    it('is read in chunks, with lines across chunks intact', async () => {
      const lines = Array.from({ length: 5_000 }, (_, index) => `${index} ${'x'.repeat(index % 200)}`);
      await writeFile(file, `${lines.join('\n')}\n`);
      expect(await read()).to.deep.equal(lines.toReversed());
    });

    it('has no lines if it is missing, and no incomplete line', async () => {
      expect(await read()).to.deep.equal([]);
      await writeFile(file, 'one\ntwo\nthr');
      expect(await read()).to.deep.equal(['two', 'one']);
    });

    it('is not read beyond the limit', async () => {
      await writeFile(file, `${'x'.repeat(1_000)}\none\ntwo\n`);
      expect(await read(20)).to.deep.equal(['two', 'one']);
    });

    it('is rotated when it exceeds the limit', async () => {
      await rotate(file, 5);
      await writeFile(file, 'one\ntwo\n');
      await rotate(file, 100);
      expect((await stat(file)).size).to.equal(8);
      await rotate(file, 5);
      await appendFile(file, 'three\n');
      expect(await read()).to.deep.equal(['three', 'two', 'one']);
    });
  });

  describe('as a source for legs', () => {
    const records = (isEmbedded = true, of = file): CelRecords =>
      new CelRecords({ file: of, isEmbedded, entityId: () => ENTITY, log: quiet });
    const legAt = (id: string) => ({ id, created_at: new Date(START * 1000) });
    const channel = 'PJSIP/hatif-direct-00000001';

    async function endOf(id: string, cause: number, source: string, answered: boolean, channelId = id) {
      await writeFile(
        file,
        [
          celLine('CHAN_START', START, channelId, channel),
          ...(answered ? [celLine('ANSWER', START + 2, channelId, channel)] : []),
          celLine('HANGUP', START + 5.5, channelId, channel, hangup(cause, source)),
          celLine('CHAN_END', START + 5.5, channelId, channel),
          '',
        ].join('\n'),
      );
      return (await records().of([legAt(id)]))?.get(id);
    }

    it('shows when a leg was answered, when it ended and why', async () => {
      expect(await endOf(newId(), 16, channel, true)).to.deep.equal({
        answeredAt: new Date((START + 2) * 1000),
        end: {
          at: new Date((START + 5.5) * 1000),
          cause: { q850: 16, sipCode: null, text: 'Normal call clearing' },
        },
      });
    });

    const rows: [string, number, string, boolean, { q850: number; sipCode: number | null }][] = [
      ['a busy callee', 17, channel, false, { q850: 17, sipCode: 486 }],
      ['a callee that rejected, with an ambiguous response', 21, channel, false, { q850: 21, sipCode: null }],
      ['an unavailable callee', 19, channel, false, { q850: 19, sipCode: 480 }],
      ['the ring timeout', 19, '', false, { q850: 19, sipCode: null }],
      ['a cause from a command', 41, '', true, { q850: 41, sipCode: null }],
      ['no cause, from the remote side', 0, channel, true, { q850: 16, sipCode: null }],
      ['no cause, from this side', 0, '', true, { q850: 31, sipCode: null }],
    ];
    for (const [what, cause, source, answered, expected] of rows) {
      it(`shows ${what}`, async () => {
        expect((await endOf(newId(), cause, source, answered))?.end?.cause).to.include(expected);
      });
    }

    describe('a call inside', () => {
      const near = newId();
      const far = farHalfOf(near);
      const name = 'Local/+966112345678@hatif-inside-00000001';

      it('has the leg that dialled, without a SIP status, and the one that came in', async () => {
        const half = (id: string, channelName: string, cause: number): string[] => [
          celLine('CHAN_START', START, id, channelName),
          celLine('HANGUP', START + 1, id, channelName, hangup(cause, channelName)),
        ];
        await writeFile(file, [...half(near, `${name};1`, 17), ...half(far, `${name};2`, 17), ''].join('\n'));
        const ids = [near, legIdOf({ id: far, creationtime: '' }, ENTITY)];
        const found = await records().of(ids.map(legAt));
        expect(ids.map((id) => found?.get(id)?.end?.cause)).to.deep.equal(
          ids.map(() => ({ q850: 17, sipCode: null, text: 'User busy' })),
        );
      });
    });

    describe('an inbound leg', () => {
      const channelId = `${START}.15`;
      const creationtime = new Date(START * 1000 + 355).toISOString();
      const legId = legIdOf({ id: channelId, creationtime }, ENTITY);

      it('is found by the id that is derived from its channel', async () => {
        expect((await endOf(legId, 0, channel, true, channelId))?.end?.cause).to.include({ q850: 16, sipCode: null });
      });

      it('was cancelled by its caller', async () => {
        const detail = await endOf(legId, 127, channel, false, channelId);
        expect(detail?.end?.cause).to.include({ q850: 16, sipCode: null });
        expect(detail?.answeredAt).to.equal(null);
      });

      it('is not confused with another of the same second', async () => {
        expect(await endOf(legId, 16, channel, true, `${START}.16`)).to.equal(undefined);
      });
    });

    it('has no end if Asterisk wrote none, and no entry for a leg that it does not mention', async () => {
      const [live, unknown] = [newId(), newId()];
      await writeFile(file, `${celLine('CHAN_START', START, live, channel)}\n`);
      const details = await records().of([legAt(live), legAt(unknown)]);
      expect([...details!]).to.deep.equal([[live, { answeredAt: null, end: null }]]);
    });

    it('skips helpers and reads no further back than the oldest leg', async () => {
      const [helper, old] = [newId(), newId()];
      await writeFile(
        file,
        [
          celLine('HANGUP', START - 3600, old, channel, hangup(16, '')),
          celLine('HANGUP', START - 3599, newId(), channel, hangup(16, '')),
          celLine('HANGUP', START, helper, 'Local/s@hatif-echo-1;1', hangup(16, '')),
          '',
        ].join('\n'),
      );
      expect((await records().of([legAt(helper), legAt(old)]))?.size).to.equal(0);
    });

    it('returns null if it is unreadable', async () => {
      expect(await records(true, folder).of([legAt(newId())])).to.equal(null);
    });

    describe('for a leg that it does not mention', () => {
      const nothing = { answeredAt: null, end: null };
      const other = (seconds: number): string => celLine('CHAN_START', START + seconds, newId(), channel);
      let writtenAt = START + 10;
      async function detailOf(isEmbedded: boolean, ...lines: string[]): Promise<object | undefined> {
        if (lines.length > 0) {
          await writeFile(file, `${lines.join('\n')}\n`);
          await utimes(file, writtenAt, writtenAt);
        }
        const id = newId();
        const details = await records(isEmbedded).of([legAt(id)]);
        return details?.get(id);
      }

      it('shows that the leg never existed, if it reaches back far enough', async () => {
        await writeFile(`${file}.1`, '');
        expect(await detailOf(true, other(-3600), other(5))).to.equal(undefined);
      });

      it('shows it as well if the file was never rotated', async () => {
        expect(await detailOf(true)).to.equal(undefined);
        expect(await detailOf(true, other(5))).to.equal(undefined);
      });

      it('shows nothing if older lines are missing', async () => {
        await writeFile(`${file}.1`, '');
        expect(await detailOf(true, other(5))).to.deep.equal(nothing);
      });

      it('shows nothing if it is not certain that Asterisk writes the file', async () => {
        expect(await detailOf(false)).to.deep.equal(nothing);
        writtenAt = START - 10;
        expect(await detailOf(false, other(-3600))).to.deep.equal(nothing);
        writtenAt = START + 10;
        expect(await detailOf(false, other(3600))).to.deep.equal(nothing);
        expect(await detailOf(false, other(-3600))).to.equal(undefined);
      });
    });
  });
});
