import { readFile } from 'node:fs/promises';
import { X509Certificate } from 'node:crypto';

import type { CliContext, Installation } from './context.js';
import { CliError, EXIT } from './failure.js';
import { LOCAL_COMMANDS } from './local-commands.js';
import { plain } from './output.js';

/** Options with which every command works on another installation. */
export interface InstallationOptions {
  readonly url?: string;
  readonly ca?: string;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * The installation that the options name; null for the one on this machine.
 * @param command without the program's name: `invoice run`
 * @throws CliError for a command of one machine, and for an address that is none or would show the token to others
 */
export function installationOf({ url, ca }: InstallationOptions, command: string): Installation | null {
  if (url === undefined) {
    if (ca === undefined) return null;
    throw new CliError('--ca: is only used with --url.', EXIT.usage);
  }
  const reason = LOCAL_COMMANDS[command];
  if (reason !== undefined) {
    throw new CliError(`--url is not for \`${command}\`: ${reason}.`, EXIT.usage, 'Run it on the machine itself.');
  }
  return { url: originOf(url), caFile: ca ?? null };
}

function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOrigin =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    [url.username, url.password, url.search, url.hash].every((part) => part === '') &&
    url.pathname === '/';
  if (!isOrigin) {
    throw new CliError(
      `--url: "${plain(text)}" is not the address of an installation.`,
      EXIT.usage,
      'It has no path: https://hatif.example.com. To play a file in a call: --play',
    );
  }
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) {
    throw new CliError(
      `--url: ${url.origin} would send the token without encryption.`,
      EXIT.usage,
      'Only this machine is reached by http://. Use https://.',
    );
  }
  return url.origin;
}

/** The context with which a command works on the installation. */
export function contextOf(context: CliContext, installation: Installation | null): CliContext {
  if (installation === null) return context;
  return {
    ...context,
    withPlatform: (work) => context.withInstallation(installation, work),
    api: (choice) => {
      if (choice.baseUrl === undefined) return context.api({ ...choice, installation });
      throw new CliError('Give --url or --base-url, not both.', EXIT.usage);
    },
  };
}

/** Reads the certificates of the authorities that are trusted. @throws CliError */
export async function readAuthorities(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(`--ca: ${plain(file)} cannot be read: ${reason}`, EXIT.usage);
  });
  try {
    new X509Certificate(text);
  } catch {
    throw new CliError(`--ca: ${plain(file)} is not a certificate in PEM.`, EXIT.usage);
  }
  return text;
}
