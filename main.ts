import { readSettings, SettingsError, type Settings } from './config/settings.js';
import { EmbeddedError } from './adapters/embedded/index.js';
import { DatabaseUnavailable } from './core/data/errors.js';
import { isTelephony } from './core/model/engine-kinds.js';
import { hasCode } from './core/model/error-code.js';
import { openDemo, writeBootstrap, type Bootstrap } from './main/install/bootstrap.js';
import { demoWidget } from './main/wiring/demo-widget.js';
import { HANDOVER_SIGNAL } from './main/engines/handover.js';
import { openLog } from './main/install/log.js';
import { closeParts, openParts, type Parts } from './main/install/parts.js';
import { writePidFile } from './main/install/pid-file.js';
import { startPlatform, type Platform } from './main/platform.js';
import { progressTo, readyScreen } from './main/install/screen.js';
import { openCipher } from './main/install/secret.js';
import { systemClock } from './core/ports/clock.js';
import type { Logger } from './core/ports/logger.js';

/** A signal that comes again within this time is the same one: npm passes a Ctrl-C on to a process that the terminal has told already. */
const SAME_WISH_MS = 1_000;

/** An engine that cannot be reached is not waited for: the platform runs without it until it comes. */
const KNOWS_ALL_WITHIN_MS = 10_000;

/** Exit codes: 1 for a fault, 2 for wrong settings, 3 for a part or port that cannot be had. */
async function main(): Promise<void> {
  const settings = withDefaults(readSettings(process.env));
  const { log, file } = openLog(settings);
  const signals = stopSignals();
  const parts = await openParts(settings, progressTo(process.stdout));
  if (signals.first !== null) {
    await closeParts({ ...parts, embedded: startedHere(parts.embedded) });
    process.exit(0);
  }
  try {
    await serve(settings, parts, log, file, signals);
  } catch (error) {
    await closeParts({ ...parts, embedded: startedHere(parts.embedded) });
    throw error;
  }
}

/** A start that failed or is not wanted any more leaves nothing running that it started; what it found may carry live calls. */
function startedHere({ postgres, redis, asterisk, speech }: Parts['embedded']): Parts['embedded'] {
  const unlessFound = <Part extends { readonly adopted: boolean }>(part: Part | undefined): Part | undefined =>
    part?.adopted === true ? undefined : part;
  return { postgres: unlessFound(postgres), redis: unlessFound(redis), asterisk: unlessFound(asterisk), speech };
}

/** What people or the system want of us, from the first moment on. */
interface StopSignals {
  /** The signal that came first. */
  readonly first: string | null;
  /** Called with the first signal, and again (`again`) with each later one. */
  listen(listener: (signal: string, again: boolean) => void): void;
}

/** Until somebody listens, what is being started is brought to its end before it is stopped; a second signal does not wait for that. */
function stopSignals(): StopSignals {
  let first: string | null = null;
  let askedAt = 0;
  let tell = (signal: string, again: boolean): void => {
    if (again) process.exit(130);
    process.stdout.write(`\n${signal}: stopping as soon as the parts can be stopped …\n`);
  };
  for (const signal of ['SIGINT', 'SIGTERM', HANDOVER_SIGNAL] as const) {
    process.on(signal, () => {
      const again = first !== null;
      if (signal === first && performance.now() - askedAt < SAME_WISH_MS) return;
      first ??= signal;
      askedAt = performance.now();
      tell(signal, again);
    });
  }
  return {
    get first() {
      return first;
    },
    listen(listener) {
      tell = listener;
      if (first !== null) listener(first, false);
    },
  };
}

/** Start the platform, say so, and stop it when that is wished. */
async function serve(
  settings: Settings,
  parts: Parts,
  log: Logger,
  logFile: string | null,
  signals: StopSignals,
): Promise<void> {
  const cipher = await openCipher(settings);
  const platform = await startPlatform({ settings, parts, cipher, log });
  const demo = await openDemo(settings, platform.stores.organizations, {
    accounts: {
      createOrganization: (row) => platform.stores.organizations.create(row),
      createProject: (row) => platform.stores.projects.create(row),
    },
    ...platform.management,
    cipher,
    clock: systemClock,
  });
  if (demo) platform.api?.showDemo(await demoWidget(platform, demo));
  // Who registers a phone as soon as we say that we are ready is let in.
  await platform.engine?.knowsAll(KNOWS_ALL_WITHIN_MS);
  const url = platform.api?.url ?? null;
  const bootstrap =
    demo && url !== null
      ? await writeBootstrap(settings, demo, {
          baseUrl: url,
          sip: parts.sip,
          engine: await engineOf(platform, parts),
        })
      : null;
  const removePidFile = writePidFile(settings.HATIF_DATA_DIR);
  process.stdout.write(readyScreen(bootstrap, parts, settings, url, logFile));

  let leaving = false;
  // A function, because the compiler takes a variable that it saw once for unchanged after an await.
  const isLeaving = (): boolean => leaving;
  const stop = async (signal: string): Promise<void> => {
    const live = platform.engine?.liveCalls ?? 0;
    const meanwhile = leaving ? 'go on without us' : `may go on for ${settings.DRAIN_SECONDS} s`;
    process.stdout.write(`\n${signal}: stopping${live > 0 ? `, ${live} live calls ${meanwhile}` : ''} …\n`);
    // An embedded engine goes with us, so its calls are ended properly; another's calls go on and are taken over by the next start.
    const taken = await platform.stop(settings.DRAIN_SECONDS * 1000, parts.embedded.asterisk !== undefined);
    if (!taken && !isLeaving()) await closeParts(parts);
    removePidFile();
    process.stdout.write(
      `Stopped; ${taken ? 'another process has taken over' : isLeaving() ? 'the parts go on' : 'data is kept'}.\n`,
    );
    process.exit(0);
  };
  signals.listen((signal, again) => {
    if (signal === HANDOVER_SIGNAL) {
      leaving = true;
      platform.leaveCalls();
    }
    // Asked twice: live calls are not waited for any longer.
    const done = !again ? stop(signal) : leaving ? undefined : platform.engine?.hangUpAll();
    done?.catch((error: unknown) => fail(error));
  });
}

/** The engine that a newcomer's phone is told of; `none` before one was added. */
async function engineOf({ stores }: Platform, parts: Parts): Promise<Bootstrap['engine']> {
  if (parts.ari) return { kind: 'asterisk', version: parts.embedded.asterisk?.version ?? null };
  const found = (await stores.engines.list()).find(({ kind }) => isTelephony(kind));
  return { kind: found?.kind ?? 'none', version: found?.version ?? null };
}

/** An embedded start is somebody trying things out on this machine: webhooks may go to it, and it reads what was said. The screen says so. */
function withDefaults(settings: Settings): Settings {
  const { DATABASE_URL, WEBHOOK_ALLOW_LOOPBACK, TRANSCRIPTION_EMBEDDED } = settings;
  const isEmbedded = DATABASE_URL === undefined;
  return {
    ...settings,
    WEBHOOK_ALLOW_LOOPBACK: WEBHOOK_ALLOW_LOOPBACK ?? isEmbedded,
    TRANSCRIPTION_EMBEDDED: TRANSCRIPTION_EMBEDDED ?? isEmbedded,
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
  if (hasCode(error, 'EADDRINUSE')) {
    const { address, port } = error as { readonly address?: string; readonly port?: number };
    process.stderr.write(
      `\n${address ?? ''}:${port ?? ''} is taken by another program. Name another port: PORT=8081 npm start\n`,
    );
    process.exit(3);
  }
  if (error instanceof DatabaseUnavailable) {
    process.stderr.write(`\nThe database cannot be reached: ${error.message}. DATABASE_URL says where it is.\n`);
    process.exit(3);
  }
  process.stderr.write(`\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
}

main().catch(fail);
