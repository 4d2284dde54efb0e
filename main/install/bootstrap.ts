import { readFile, writeFile } from 'node:fs/promises';
import { writeAtomically } from '../../adapters/files/durable.js';
import { hasCode } from '../../core/model/error-code.js';
import type { Organizations } from '../../core/data/repositories/accounts/organizations.js';
import type { PhoneServer } from '../../core/model/sip-security.js';
import { createDemo, type Demo, type DemoOptions } from '../../core/services/bootstrap/demo.js';
import type { Settings } from '../../config/settings.js';
import { bootstrapFile } from './places.js';

/** Addresses of this start. */
export interface Whereabouts {
  readonly baseUrl: string;
  readonly sip: PhoneServer & { readonly tlsPort: number | null };
  readonly engine: { readonly kind: string; readonly version: string | null };
}

/** `bootstrap.json` in the data folder. Other programs read it, so its members keep their names. */
export interface Bootstrap {
  readonly base_url: string;
  readonly docs_url: string;
  readonly console_url: string | null;
  /** The code that makes the first administrator, and the address that takes it; null once there is one. */
  readonly setup_code: string | null;
  readonly setup_url: string | null;
  readonly sandbox_key: string;
  readonly live_key: string;
  readonly webhook_signing_note: string;
  readonly sip: {
    readonly host: string;
    readonly port: number;
    /** With `udp`, TCP works as well, and TLS at `tls_port`; with `tls` nothing else does. */
    readonly transport: PhoneServer['transport'];
    /** Null: SIP over TLS is off. */
    readonly tls_port: number | null;
    readonly agents: readonly { readonly agent: string; readonly password: string; readonly number: string }[];
  };
  readonly engine: { readonly kind: string; readonly version: string | null };
  readonly line_number: string;
}

const SIGNING_NOTE =
  'Webhooks are signed according to Standard Webhooks. An endpoint’s secret (whsec_…) is shown when it is created; ' +
  'GET /v1/webhooks/secret shows the secret for the webhook_url of a call.';

/**
 * Creates the demo organization if the installation has no organization yet.
 * @returns null if there are organizations, but no bootstrap file
 */
export async function openDemo(
  settings: Settings,
  organizations: Pick<Organizations, 'list'>,
  options: DemoOptions,
): Promise<Demo | null> {
  if ((await organizations.list()).length === 0) return createDemo(options);
  const known = await readBootstrap(settings);
  if (!known) return null;
  const { sandbox_key, live_key, line_number, sip } = known;
  return { sandboxKey: sandbox_key, liveKey: live_key, lineNumber: line_number, agents: sip.agents };
}

/** The keys and addresses of the demo. @param setup the set-up code; null once there is an administrator */
export function bootstrapOf(demo: Demo, where: Whereabouts, setup: string | null): Bootstrap {
  const { tlsPort, ...server } = where.sip;
  return {
    base_url: where.baseUrl,
    docs_url: `${where.baseUrl}/docs`,
    console_url: null,
    setup_code: setup,
    setup_url: setup === null ? null : setupUrl(where.baseUrl),
    sandbox_key: demo.sandboxKey,
    live_key: demo.liveKey,
    webhook_signing_note: SIGNING_NOTE,
    sip: { ...server, tls_port: tlsPort, agents: demo.agents },
    engine: where.engine,
    line_number: demo.lineNumber,
  };
}

/** Writes the file for later starts and other programs; only the owner may read it (mode 600). */
export async function writeBootstrap(settings: Settings, bootstrap: Bootstrap): Promise<void> {
  const file = bootstrapFile(settings);
  await writeAtomically(file, (part) => writeFile(part, `${JSON.stringify(bootstrap, null, 2)}\n`, { mode: 0o600 }));
}

/** The route that takes the set-up code. */
export function setupUrl(baseUrl: string): string {
  return `${baseUrl}/v1/setup`;
}

async function readBootstrap(settings: Settings): Promise<Bootstrap | null> {
  try {
    return JSON.parse(await readFile(bootstrapFile(settings), 'utf8')) as Bootstrap;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}
