import { readSettings, SettingsError, type Settings } from './config/settings.js';
import { EmbeddedError } from './adapters/embedded/index.js';
import { openDemo, writeBootstrap } from './main/bootstrap.js';
import { openLog } from './main/log.js';
import { closeParts, openParts } from './main/parts.js';
import { startPlatform } from './main/platform.js';
import { progressTo, readyScreen } from './main/screen.js';
import { openCipher } from './main/secret.js';
import { systemClock } from './core/ports/clock.js';

/** A signal that comes again within this time is the same one. */
const SAME_WISH_MS = 1_000;

/** Exit codes: 1 for a fault, 2 for wrong settings, 3 for a part that cannot be had. */
async function main(): Promise<void> {
  const settings = withDefaults(readSettings(process.env));
  const { log, file } = openLog(settings);
  const parts = await openParts(settings, progressTo(process.stdout));
  const cipher = await openCipher(settings);
  const platform = await startPlatform({ settings, parts, cipher, log });
  const demo = await openDemo(settings, platform.stores, {
    accounts: {
      createOrganization: (row) => platform.stores.organizations.create(row),
      createProject: (row) => platform.stores.projects.create(row),
    },
    ...platform.management,
    cipher,
    clock: systemClock,
  });
  const url = platform.api?.url ?? null;
  const bootstrap =
    demo && url !== null
      ? await writeBootstrap(settings, demo, {
          baseUrl: url,
          sip: parts.sip,
          engine: { kind: 'asterisk', version: parts.embedded.asterisk?.version ?? null },
        })
      : null;
  process.stdout.write(readyScreen(bootstrap, parts, settings, url, file));

  let stopping = false;
  let askedAt = 0;
  const stop = async (signal: string): Promise<void> => {
    if (stopping) {
      // npm passes a Ctrl-C on to a process that the terminal has told already: only a later one is a second wish.
      if (performance.now() - askedAt < SAME_WISH_MS) return;
      // Asked twice: live calls are not waited for any longer.
      await platform.engine?.hangUpAll();
      return;
    }
    stopping = true;
    askedAt = performance.now();
    const live = platform.engine?.liveCalls ?? 0;
    process.stdout.write(
      `\n${signal}: stopping${live > 0 ? `, ${live} live calls may go on for ${settings.DRAIN_SECONDS} s` : ''} …\n`,
    );
    // An embedded engine goes with us, so its calls are ended properly; another's calls go on and are taken over by the next start.
    await platform.stop(settings.DRAIN_SECONDS * 1000, parts.embedded.asterisk !== undefined);
    await closeParts(parts);
    process.stdout.write('Stopped; data is kept.\n');
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      stop(signal).catch((error: unknown) => fail(error));
    });
  }
}

/** An embedded start is somebody trying things out on this machine: webhooks may go to it. The screen says so. */
function withDefaults(settings: Settings): Settings {
  return {
    ...settings,
    WEBHOOK_ALLOW_LOOPBACK: settings.WEBHOOK_ALLOW_LOOPBACK ?? settings.DATABASE_URL === undefined,
  };
}

function fail(error: unknown): void {
  if (error instanceof SettingsError) {
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
  if (error instanceof EmbeddedError) {
    process.stderr.write(`\n${error.message}\n`);
    process.exit(3);
  }
  process.stderr.write(`\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
}

main().catch(fail);
