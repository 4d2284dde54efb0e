import type { Application } from './application.js';
import type { TestBed } from './test-bed.js';

/**
 * Adds softphones of agents, whose SIP user names are `names`. Resolves when the engine knows all of them: it is busy
 * until then.
 * @param password sealed with the secret of the application
 */
export async function addSoftphones(
  { engine }: TestBed,
  { db }: Application,
  names: readonly string[],
  password: string,
): Promise<void> {
  await db.query(
    `INSERT INTO agents SELECT (jsonb_populate_record(known, jsonb_build_object(
       'id', uuid_v7(), 'agent', name, 'aor', name, 'sip_password', $2::text))).*
     FROM (SELECT agents AS known FROM agents ORDER BY id LIMIT 1) AS one, unnest($1::text[]) AS name`,
    [names, password],
  );
  const { ASTERISK_ARI_URL: url = '', ASTERISK_ARI_USER: user, ASTERISK_ARI_PASSWORD: ariPassword } = engine.settings;
  const authorization = `Basic ${Buffer.from(`${user}:${ariPassword}`).toString('base64')}`;
  for (;;) {
    const answer = await fetch(`${url}/endpoints/PJSIP`, { headers: { authorization } });
    if ((await answer.text()).includes(`"${names.at(-1)}"`)) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
