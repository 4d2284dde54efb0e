import { exists } from '../system/files.js';
import { isMissingProgram, run } from '../system/run.js';
import { EmbeddedError } from '../system/types.js';

const ALTERNATIVES =
  'Set the DATABASE_URL, REDIS_URL and ASTERISK_ARI_URL settings to servers of your own, or use "docker compose up".';

/** Keyrings of Debian's archive, in order of preference; each verifies sid with the keys of the stable releases. */
const KEYRINGS = ['/usr/share/keyrings/debian-archive-keyring.pgp', '/usr/share/keyrings/debian-archive-keyring.gpg'];

/** Settings to keep from the machine's own apt configuration, which the private one otherwise replaces. */
const INHERITED = /^Acquire::(?:http|https|ftp)(?:::[^ ]*)?::(?:Proxy|ProxyAutoDetect|CaInfo|CaPath|SslCert|SslKey)\b/i;

export interface MachineApt {
  /** Base URIs of Debian mirrors, in order of preference. */
  readonly mirrors: readonly string[];
  readonly keyring: string;
  /** Lines of apt configuration to keep (proxies, certificates). */
  readonly inherited: readonly string[];
  readonly architecture: string;
}

/**
 * Reads how this machine accesses Debian. `mirror` overrides the machine's own mirrors. Throws an {@link EmbeddedError}
 * with instructions if apt or the keyring is missing, or no Debian mirror is configured.
 */
export async function readMachineApt(part: string, mirror?: string): Promise<MachineApt> {
  const dump = await need(part, 'apt-config', ['dump']);
  const architecture = (await need(part, 'dpkg', ['--print-architecture'])).trim();
  await need(part, 'dpkg-deb', ['--version']);
  const mirrors = mirror === undefined ? await ownMirrors(part) : [mirror];
  if (mirrors.length === 0) {
    throw new EmbeddedError(
      part,
      `no Debian mirror is configured in this machine's apt. Set DEBIAN_MIRROR. ${ALTERNATIVES}`,
    );
  }
  for (const keyring of KEYRINGS) {
    if (await exists(keyring)) {
      const inherited = dump.split('\n').filter((line) => INHERITED.test(line));
      return { mirrors, keyring, inherited, architecture };
    }
  }
  throw new EmbeddedError(
    part,
    `Debian's archive keys are missing (${KEYRINGS.join(' or ')}): install the package debian-archive-keyring. ${ALTERNATIVES}`,
  );
}

/** Finds Debian mirrors in the machine's sources: component main, with a path that ends in /debian. */
async function ownMirrors(part: string): Promise<string[]> {
  const targets = await need(part, 'apt-get', [
    'indextargets',
    '--format',
    '$(REPO_URI) $(COMPONENT)',
    'Created-By: Packages',
  ]);
  const found = targets
    .split('\n')
    .map((line) => line.trim().split(' '))
    .filter(([uri, component]) => component === 'main' && /^https?:.*\/debian\/?$/.test(uri ?? ''))
    .map(([uri]) => (uri ?? '').replace(/\/$/, ''));
  return [...new Set(found)];
}

async function need(part: string, command: string, args: readonly string[]): Promise<string> {
  const result = await run(command, args, { env: { ...process.env, LC_ALL: 'C' } }).catch((error: unknown) => {
    if (!isMissingProgram(error)) throw error;
    throw new EmbeddedError(
      part,
      `it is not on PATH, and this machine has no "${command}" to download it with (requires Debian or Ubuntu). ${ALTERNATIVES}`,
      { cause: error },
    );
  });
  if (result.code !== 0) throw new EmbeddedError(part, `${command} failed: ${result.stderr.trim()}`);
  return result.stdout;
}
