import { PROJECT_HEADER } from '../api/http/admit-user.js';
import { hashSecret } from '../core/model/access/secrets.js';
import { generateToken } from '../core/model/access/tokens.js';
import { startApplication, type Application } from './lib/application.js';
import { median } from './lib/median.js';
import { inTurns, type Server } from './lib/page-rate.js';
import type { Row } from './lib/table.js';
import type { TestBed } from './lib/test-bed.js';

/** Measures what a request costs that carries the access token of a session, beside the same request with an API key. */
export async function run(testBed: TestBed): Promise<Row[]> {
  const application = await startApplication(testBed, { environment: { RATE_LIMIT_USER_PER_MINUTE: '1000000' } });
  try {
    const { pid, url, key, projectId } = application;
    const servers: readonly Server[] = [
      {
        ...{ name: 'access token', pid, url },
        headers: { authorization: `Bearer ${await signIn(application)}`, [PROJECT_HEADER]: projectId },
      },
      { name: 'API key', pid, url, headers: { authorization: `Bearer ${key}` } },
    ];
    const [tokens = [], keys = []] = await inTurns(servers);
    return [
      {
        what: 'GET /v1/calls with an access token  vs  with an API key',
        ours: median(tokens.map(({ rate }) => rate)),
        baseline: median(keys.map(({ rate }) => rate)),
        unit: 'requests/s',
      },
      {
        what: '    CPU of the application',
        ours: median(tokens.map(({ cpuMs }) => cpuMs)),
        baseline: median(keys.map(({ cpuMs }) => cpuMs)),
        unit: 'ms/request',
        goal: { ratio: 1.1, better: 'lower' },
      },
    ];
  } finally {
    await application.stop();
  }
}

/** Adds an owner of the project's organization with a session, as signing in does. @returns the access token */
async function signIn({ db, projectId }: Application): Promise<string> {
  const token = generateToken('access');
  await db.query(
    `WITH owner AS (
       INSERT INTO users (id, organization_id, email, name, locale, email_confirmed_at, role, created_at)
       SELECT uuid_v7(), organization_id, 'bench@example.com', 'Bench', 'en', now(), 'owner', now()
       FROM projects WHERE id = $1 RETURNING id, organization_id
     ), session AS (
       INSERT INTO sessions (id, user_id, organization_id, client, ip, user_agent, created_at, last_used_at, expires_at)
       SELECT uuid_v7(), id, organization_id, 'other', '127.0.0.1', 'bench', now(), now(), now() + interval '1 day'
       FROM owner RETURNING id
     )
     INSERT INTO session_tokens (hash, session_id, kind, created_at, expires_at)
     SELECT $2, id, 'access', now(), now() + interval '1 hour' FROM session`,
    [projectId, hashSecret(token)],
  );
  return token;
}
