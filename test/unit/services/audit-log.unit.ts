import { expect } from 'chai';
import type { Queryable } from '../../../core/data/database.js';
import { DatabaseUnavailable } from '../../../core/data/errors.js';
import { systemClock } from '../../../core/ports/clock.js';
import { AuditLog, type AuditEntry } from '../../../core/services/access/audit.js';
import { quiet } from '../../support/logger.js';

const ENTRY: AuditEntry = {
  ...{ organization_id: null, project_id: null, key_id: null, user_id: null, administrator_id: null, actor: null },
  ...{ request_id: '', method: 'POST', path: '/v1/calls', route: '/v1/calls', status: 202, error_code: null, ip: '' },
  details: {},
};

/** Takes statements that insert rows; each waits until it is answered. */
class Statements {
  /** The request IDs of each statement. */
  readonly taken: string[][] = [];
  readonly #waiting: ((error?: Error) => void)[] = [];
  #noticed: () => void = () => undefined;

  readonly db: Queryable = {
    scope: {},
    query: (_sql, values = []) => {
      const rows = JSON.parse(String(values[0])) as { request_id: string }[];
      this.taken.push(rows.map(({ request_id }) => request_id));
      this.#noticed();
      return new Promise((resolve, reject) => {
        this.#waiting.push((error) => (error ? reject(error) : resolve([])));
      });
    },
  };

  answer(error?: Error): void {
    this.#waiting.shift()?.(error);
  }

  /** Resolves when as many statements were sent. */
  async sent(count: number): Promise<void> {
    while (this.taken.length < count) await new Promise<void>((resolve) => (this.#noticed = resolve));
  }
}

describe('The audit log', () => {
  let statements: Statements;
  let log: AuditLog;

  beforeEach(() => {
    statements = new Statements();
    log = new AuditLog(statements.db, systemClock, quiet);
  });

  const record = (...ids: readonly string[]): void => {
    for (const id of ids) log.record({ ...ENTRY, request_id: id });
  };

  it('stores an entry that comes alone at once, and those of a busy moment together', async () => {
    record('1');
    expect(statements.taken).to.deep.equal([['1']]);
    record('2', '3');
    statements.answer();
    await statements.sent(2);
    expect(statements.taken).to.deep.equal([['1'], ['2', '3']]);
  });

  it('stores every entry before a flush resolves, without a wait', async () => {
    record('1');
    record('2');
    let isFlushed = false;
    const flushed = log.flush().then(() => (isFlushed = true));
    statements.answer();
    await statements.sent(2);
    expect([statements.taken, isFlushed]).to.deep.equal([[['1'], ['2']], false]);
    statements.answer();
    await flushed;
  });

  it('stores the remaining entries when it is closed', async () => {
    record('1');
    statements.answer();
    record('2', '3');
    const closed = log.close();
    await statements.sent(2);
    statements.answer(new DatabaseUnavailable('away'));
    await closed;
    expect(statements.taken).to.deep.equal([['1'], ['2', '3']]);
  });
});
