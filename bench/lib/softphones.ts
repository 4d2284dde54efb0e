import { Cipher } from '../../core/model/access/cipher.js';
import type { Application } from './application.js';
import type { TestBed } from './test-bed.js';

/** The `HATIF_SECRET` of an application with these softphones. */
export const SECRET = 'a secret of the benchmark, long enough for it';
/** Of each softphone; without blanks, which baresip's accounts cannot have. */
export const PASSWORD = 'a-password-of-the-benchmark';
const KNOWN_WITHIN_MS = 120_000;
const POLL_MS = 500;

/**
 * Adds softphones of agents, whose SIP user names are `names`. Resolves when the engine knows all of them: it is busy
 * until then.
 * @throws Error if the engine does not know them within two minutes
 */
export async function addSoftphones({ engine }: TestBed, { db }: Application, names: readonly string[]): Promise<void> {
  await db.query(
    `INSERT INTO agents SELECT (jsonb_populate_record(known, jsonb_build_object(
       'id', uuid_v7(), 'agent', name, 'aor', name, 'sip_password', $2::text))).*
     FROM (SELECT agents AS known FROM agents ORDER BY id LIMIT 1) AS one, unnest($1::text[]) AS name`,
    [names, new Cipher(SECRET).seal(PASSWORD)],
  );
  const { ASTERISK_ARI_URL: url = '', ASTERISK_ARI_USER: user, ASTERISK_ARI_PASSWORD: ariPassword } = engine.settings;
  const authorization = `Basic ${Buffer.from(`${user}:${ariPassword}`).toString('base64')}`;
  const untilMs = performance.now() + KNOWN_WITHIN_MS;
  while (performance.now() < untilMs) {
    const answer = await fetch(`${url}/endpoints/PJSIP`, { headers: { authorization } });
    const known = new Set(
      ((await answer.json()) as readonly { readonly resource: string }[]).map((one) => one.resource),
    );
    if (names.every((name) => known.has(name))) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`the engine does not know ${names.length} softphones within ${KNOWN_WITHIN_MS / 1000} s`);
}
