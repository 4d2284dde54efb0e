import { CliError, EXIT } from '../common/failure.js';
import type { Platform } from '../common/platform.js';
import { remoteAgents } from './agents.js';
import { remoteBilling } from './billing.js';
import { AdminClient, HOW_TO_GET_A_TOKEN } from './client.js';
import { remoteDeletions } from './deletions.js';
import { remoteEngines } from './engines.js';
import { remoteGuards } from './guards.js';
import { remoteInvoicing } from './invoices.js';
import { remoteSenders } from './message-senders.js';
import { remoteBrands, remoteNumbers } from './numbers.js';
import { remotePayments } from './payments.js';
import { projectsOf, remoteAccess } from './projects.js';
import { remoteTraffic } from './traffic.js';
import { remoteTrunks } from './trunks.js';
import { Transport } from './transport.js';

/** Another installation, and how it is reached. */
export interface RemoteOptions {
  /** Origin: `https://hatif.example.com`. */
  readonly url: string;
  /** Certificates of the authorities that are trusted; null: those of Node.js. */
  readonly ca: string | null;
  /** The token of an administrator for scripts, or of an administrator's session; undefined if the settings have none. */
  readonly token: string | undefined;
}

/**
 * Opens another installation for the work, through its routes of administrators.
 * @throws CliError without a token that works, and if the installation is unreachable
 */
export async function withRemote<T>(
  { url, ca, token }: RemoteOptions,
  work: (platform: Platform) => Promise<T>,
): Promise<T> {
  if (token === undefined) {
    throw new CliError(
      'HATIF_ADMIN_TOKEN is not set: --url needs the token of an administrator.',
      EXIT.usage,
      HOW_TO_GET_A_TOKEN,
    );
  }
  const transport = new Transport(url, ca);
  try {
    const client = new AdminClient(transport, token);
    return await work({
      projects: await projectsOf(client),
      brands: remoteBrands(client),
      messageSenders: remoteSenders(client),
      billing: remoteBilling(client),
      invoicing: remoteInvoicing(client),
      paying: { administration: remotePayments(client) },
      ...remoteAccess(client),
      ...remoteAgents(client),
      ...remoteDeletions(client),
      ...remoteEngines(client),
      ...remoteGuards(client),
      ...remoteNumbers(client),
      ...remoteTraffic(client),
      ...remoteTrunks(client),
    });
  } finally {
    await transport.close();
  }
}
