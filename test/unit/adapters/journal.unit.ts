import { appendFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { decodeLine, encodeLine } from '../../../adapters/journal/line.js';
import { FileJournalStore } from '../../../adapters/journal/journal-store.js';
import { newId } from '../../../core/model/ids.js';
import { JournalRefusal, type Journal, type OrphanedJournal } from '../../../core/ports/journal.js';
import type { Logger } from '../../../core/ports/logger.js';
import { quiet } from '../../support/logger.js';

const ENGINE = newId();
const EPOCH = 7;

describe('the journal on disk', () => {
  let folder: string;
  let journalStore: FileJournalStore;
  let logged: string[];
  let opened: Journal[];
  const file = (epoch = EPOCH): string => join(folder, `${ENGINE}.${epoch}.jsonl`);

  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'hatif-journal-')), 'below');
    logged = [];
    opened = [];
    const log: Logger = { ...quiet, error: (_fields, message) => void logged.push(message) };
    journalStore = new FileJournalStore({ folder, maxBytes: 10_000, log });
  });
  afterEach(async () => {
    await Promise.all(opened.map((journal) => journal.close()));
    await rm(join(folder, '..'), { recursive: true, force: true });
  });

  const numbers = (count: number): object[] => Array.from({ length: count }, (_, number) => ({ number }));
  function open(engineId = ENGINE, epoch = EPOCH): Journal {
    const journal = journalStore.open(engineId, epoch);
    opened.push(journal);
    return journal;
  }
  async function orphans(epoch: number): Promise<readonly OrphanedJournal[]> {
    const journals = await journalStore.orphaned(ENGINE, epoch);
    opened.push(...journals);
    return journals;
  }
  async function filled(count: number, epoch = EPOCH): Promise<Journal> {
    const journal = open(ENGINE, epoch);
    await Promise.all(numbers(count).map((entry) => journal.append(entry)));
    return journal;
  }
  async function orphan(epoch = EPOCH + 1): Promise<OrphanedJournal> {
    const [journal, ...more] = await orphans(epoch);
    expect(more).to.deep.equal([]);
    return journal!;
  }

  it('rejects truncated, altered and forged lines', () => {
    const line = encodeLine({ entry: { text: 'مرحبا "quoted"\nline' } }).toString();
    expect(line).to.match(/^[0-9a-f]{8} \{[^\n]*\}\n$/);
    const whole = line.trimEnd();
    expect(decodeLine(whole)).to.deep.equal({ entry: { text: 'مرحبا "quoted"\nline' } });
    for (const broken of ['', whole.slice(1), whole.slice(0, -1), whole.replace('quoted', 'quotes'), '{"entry":{}}']) {
      expect(decodeLine(broken), broken).to.equal(null);
    }
  });

  it('creates no file before the first entry', async () => {
    const journal = open();
    expect(await journal.peek(10)).to.deep.equal([]);
    expect({ entries: journal.entries, bytes: journal.bytes }).to.deep.equal({ entries: 0, bytes: 0 });
    await journal.close();
    expect(await orphans(EPOCH + 1)).to.deep.equal([]);
  });

  it('is unreadable for other users', async () => {
    await filled(1);
    expect((await stat(file())).mode & 0o777).to.equal(0o600);
    expect((await stat(folder)).mode & 0o777).to.equal(0o700);
  });

  it('returns entries in order, and only the rest after some were dropped', async () => {
    const journal = await filled(5);
    expect(await journal.peek(2)).to.deep.equal(numbers(5).slice(0, 2));
    await journal.drop(1);
    expect(await journal.peek(10)).to.deep.equal(numbers(5).slice(1));
    expect(journal.entries).to.equal(4);
    await journal.append({ number: 5 });
    expect(await journal.peek(10)).to.deep.equal(numbers(6).slice(1));
  });

  it('waits in a peek for pending writes', async () => {
    const journal = open();
    const appended = journal.append({ number: 0 });
    expect(journal.entries).to.equal(1);
    expect(await journal.peek(1)).to.deep.equal(numbers(1));
    await appended;
  });

  it('truncates its file when all entries are done, and accepts new ones', async () => {
    const journal = await filled(3);
    await journal.peek(10);
    await journal.drop(3);
    expect((await stat(file())).size).to.equal(0);
    expect({ entries: journal.entries, bytes: journal.bytes }).to.deep.equal({ entries: 0, bytes: 0 });
    await journal.append({ number: 9 });
    expect(await journal.peek(10)).to.deep.equal([{ number: 9 }]);
  });

  it('leaves unfinished entries to the next owner, which continues there', async () => {
    const journal = await filled(4);
    await journal.peek(10);
    await journal.drop(2);
    await journal.close();
    const next = await orphan();
    expect(next.entries).to.equal(2);
    expect(next.epochs).to.deep.equal([EPOCH]);
    expect(await next.peek(10)).to.deep.equal(numbers(4).slice(2));
    await next.recordReplay(EPOCH + 1);
    await next.close();
    expect((await orphan(EPOCH + 2)).epochs).to.deep.equal([EPOCH, EPOCH + 1]);
  });

  it('finds only journals of earlier epochs of its own engine, oldest first', async () => {
    for (const epoch of [12, 3, 20]) await filled(1, epoch);
    await open(newId(), 1).append({});
    await writeFile(join(folder, 'notes.txt'), '');
    const journals = await orphans(20);
    expect(journals.map(({ epochs }) => epochs)).to.deep.equal([[3], [12]]);
    await Promise.all(journals.map((journal) => journal.remove()));
    expect(await orphans(20)).to.deep.equal([]);
  });

  it('cuts off a torn last line, and continues after the line before', async () => {
    const journal = await filled(3);
    await journal.close();
    await truncate(file(), (await stat(file())).size - 5);
    const next = await orphan();
    expect(next.entries).to.equal(2);
    expect(logged).to.deep.equal([]);
    await next.append({ number: 7 });
    expect(await next.peek(10)).to.deep.equal([...numbers(2), { number: 7 }]);
  });

  it('skips a damaged line and logs it', async () => {
    const journal = await filled(3);
    await journal.close();
    const text = await readFile(file(), 'utf8');
    await writeFile(file(), text.replace('"number":1', '"number":4'));
    const next = await orphan();
    expect(next.entries).to.equal(2);
    expect(await next.peek(10)).to.deep.equal([{ number: 0 }, { number: 2 }]);
    expect(logged).to.have.length(1);
    await next.drop(2);
    expect(next.entries).to.equal(0);
  });

  it('survives garbage after its entries', async () => {
    await (await filled(1)).close();
    await appendFile(file(), Buffer.from([0xff, 0x00, 0x0a, 0x7b, 0x0a]));
    expect(await (await orphan()).peek(10)).to.deep.equal(numbers(1));
  });

  it('rejects entries beyond its size limit, and accepts them again when there is space', async () => {
    const journal = open();
    const big = { text: 'x'.repeat(4_000) };
    await Promise.all([journal.append(big), journal.append(big)]);
    const refused = await journal.append(big).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(JournalRefusal).with.property('reason', 'full');
    expect(journal.entries).to.equal(2);
    expect((await stat(file())).size).to.be.lessThan(10_000);
    await journal.peek(10);
    await journal.drop(2);
    await journal.append(big);
    expect(journal.entries).to.equal(1);
  });

  it('does not mix with a journal of the same epoch from before a restored backup', async () => {
    await (await filled(2)).close();
    const journal = open();
    await journal.append({ number: 8 });
    expect(await journal.peek(10)).to.deep.equal([{ number: 8 }]);
    expect((await readFile(`${file()}.aside`, 'utf8')).trim().split('\n')).to.have.length(2);
    expect(logged).to.have.length(1);
  });

  it('reports that the disk is full', async () => {
    await writeFile(join(folder, '..', 'file'), '');
    const journal = new FileJournalStore({ folder: join(folder, '..', 'file'), maxBytes: 10_000, log: quiet }).open(
      ENGINE,
      1,
    );
    const refused = await journal.append({}).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(JournalRefusal).with.property('reason', 'disk');
    expect({ entries: journal.entries, bytes: journal.bytes }).to.deep.equal({ entries: 0, bytes: 0 });
  });
});
