import { existsSync } from 'node:fs';
import { readSettings } from './config/read-settings.js';
import { SETTING_NAMES, type Settings } from './config/settings.js';
import { SettingsError, typedSettings } from './config/settings-error.js';
import { EmbeddedError, startedHere } from './adapters/embedded/index.js';
import { DatabaseUnavailable } from './core/data/errors.js';
import { AdministratorTable } from './core/data/repositories/accounts/administrators.js';
import { commandsFor, type Commands } from './core/model/commands.js';
import { isTelephony } from './core/model/engine-kinds.js';
import { bootstrapOf, openDemo, writeBootstrap, type Bootstrap } from './main/install/bootstrap.js';
import { demoWidget } from './main/wiring/demo-widget.js';
import { environmentFlags, newOrganizationFlags } from './main/wiring/flags.js';
import { HANDOVER_SIGNAL } from './main/engines/handover.js';
import { prepareAcmeFile } from './main/install/acme-file.js';
import { checkPaths } from './main/install/check-paths.js';
import { addressOf, PortUnavailable } from './main/install/listening.js';
import { openLog } from './main/install/log.js';
import { closeParts, openParts, type Parts } from './main/install/parts.js';
import { phoneServer, tlsPort } from './main/install/phone-server.js';
import { FolderClaim, FolderInUse, refuseSecondStart, runningElsewhere } from './main/install/running.js';
import { startPlatform, type Platform } from './main/platform.js';
import { bootstrapFile } from './main/install/places.js';
import { besideOther, progressTo, readyScreen } from './main/install/screen.js';
import { openCipher } from './main/install/secret.js';
import { environmentFile } from './main/install/version.js';
import { setupCode } from './core/services/administration/setup-code.js';
import { systemClock } from './core/ports/clock.js';
import type { Logger } from './core/ports/logger.js';

/** A signal that is repeated within this time counts once: on Ctrl-C, both the terminal and npm send it to the process. */
const SAME_SIGNAL_MS = 1_000;

/** How long the start waits for engines. The platform also runs without an unreachable engine, until that connects. */
const KNOWS_ALL_WITHIN_MS = 10_000;

/** Exit codes: 1 for a fault, 2 for invalid settings, 3 for a part, port or data folder that is not available. */
async function main(): Promise<void> {
  const settings = withDefaults(readSettings(process.env));
  refuseSecondStart(settings, commandsHere());
  checkPaths(settings);
  environmentFlags(settings);
  const claim = new FolderClaim(settings.HATIF_DATA_DIR);
  claim.take(addressOf(settings.HOST, settings.PORT));
  try {
    await start(settings, claim);
  } catch (error) {
    claim.release();
    throw error;
  }
}

/** @param claim is released when the platform has stopped */
async function start(settings: Settings, claim: FolderClaim): Promise<void> {
  const { log, file } = openLog(settings);
  const signals = stopSignals();
  await prepareAcmeFile(settings);
  const parts = await openParts(settings, progressTo(process.stdout));
  if (signals.first !== null) {
    await closeParts({ ...parts, embedded: startedHere(parts.embedded) });
    claim.release();
    process.exit(0);
  }
  try {
    await serve(settings, parts, log, file, signals, claim);
  } catch (error) {
    await closeParts({ ...parts, embedded: startedHere(parts.embedded) });
    throw error;
  }
}

/** Signals to stop, collected from the first moment on. */
interface StopSignals {
  /** The first signal; null if there was none. */
  readonly first: string | null;
  /** Calls the listener with the first signal, also if it came already, and with each later one (`again`). */
  listen(listener: (signal: string, again: boolean) => void): void;
}

/** Until there is a listener, the start of parts is completed before they are stopped. A second signal exits at once. */
function stopSignals(): StopSignals {
  let first: string | null = null;
  let receivedAt = 0;
  let notify = (signal: string, again: boolean): void => {
    if (again) process.exit(130);
    process.stdout.write(`\n${signal}: stopping once the parts have started …\n`);
  };
  for (const signal of ['SIGINT', 'SIGTERM', HANDOVER_SIGNAL] as const) {
    process.on(signal, () => {
      const again = first !== null;
      if (signal === first && performance.now() - receivedAt < SAME_SIGNAL_MS) return;
      first ??= signal;
      receivedAt = performance.now();
      notify(signal, again);
    });
  }
  return {
    get first() {
      return first;
    },
    listen(listener) {
      notify = listener;
      if (first !== null) listener(first, false);
    },
  };
}

/** Starts the platform, prints the start screen, and stops the platform on a signal. */
async function serve(
  settings: Settings,
  parts: Parts,
  log: Logger,
  logFile: string | null,
  signals: StopSignals,
  claim: FolderClaim,
): Promise<void> {
  const cipher = await openCipher(settings);
  const platform = await startPlatform({ settings, parts, cipher, log });
  const demo = await openDemo(settings, platform.stores.organizations, {
    accounts: {
      createOrganization: (row) => platform.stores.organizations.create(row),
      createProject: (row) => platform.stores.projects.create(row),
    },
    ...platform.management,
    flags: newOrganizationFlags(settings),
    cipher,
    clock: systemClock,
  });
  if (demo) platform.api?.showDemo(await demoWidget(platform, demo));
  // A phone that registers as soon as the start screen appears must be accepted.
  await platform.engine?.knowsAll(KNOWS_ALL_WITHIN_MS);
  const url = platform.api?.url ?? null;
  const administrators = new AdministratorTable(platform.stores.db);
  const engine = await engineOf(platform, parts);
  const content = async (): Promise<{ readonly setup: string | null; readonly bootstrap: Bootstrap | null }> => {
    const setup = (await administrators.isAny()) ? null : setupCode(cipher);
    if (!demo || url === null) return { setup, bootstrap: null };
    const sip = { ...phoneServer(settings, parts), tlsPort: tlsPort(settings) };
    return { setup, bootstrap: bootstrapOf(demo, { baseUrl: url, sip, engine }, setup) };
  };
  const { setup, bootstrap } = await content();
  const other = runningElsewhere(settings.HATIF_DATA_DIR);
  const publish = async (): Promise<void> => {
    const now = await content();
    if (now.bootstrap) await writeBootstrap(settings, now.bootstrap);
  };
  await claim.whenTaken(url ?? addressOf(settings.HOST, settings.PORT), publish, (error) => {
    log.error({ err: error }, 'failed to write the files that name this process');
  });
  // The keys of the demo are stored nowhere else.
  if (!existsSync(bootstrapFile(settings))) await publish();
  process.stdout.write(
    readyScreen(bootstrap, parts, settings, url, logFile, platform.engine?.adoptedCalls ?? 0, setup),
  );
  if (other !== null) process.stdout.write(besideOther(other));

  let leaving = false;
  // A function, because the compiler assumes that a variable it has narrowed stays unchanged after an await.
  const isLeaving = (): boolean => leaving;
  const stop = async (signal: string): Promise<void> => {
    const live = platform.engine?.liveCalls ?? 0;
    const meanwhile = leaving ? 'continue' : `may continue for ${settings.DRAIN_SECONDS} s`;
    process.stdout.write(`\n${signal}: stopping${live > 0 ? `, ${live} live calls ${meanwhile}` : ''} …\n`);
    // An embedded engine stops with this process, so its calls are hung up. Calls of other engines continue; the next
    // start takes them over.
    const taken = await platform.stop(settings.DRAIN_SECONDS * 1000, parts.embedded.asterisk !== undefined);
    if (!taken && !isLeaving()) await closeParts(parts);
    claim.release();
    process.stdout.write(
      `Stopped; ${taken ? 'another process has taken over' : isLeaving() ? 'the parts keep running' : 'data is kept'}.\n`,
    );
    process.exit(0);
  };
  signals.listen((signal, again) => {
    if (signal === HANDOVER_SIGNAL) {
      leaving = true;
      platform.leaveCalls();
    }
    // A second signal: live calls are hung up instead of waited for.
    const done = !again ? stop(signal) : leaving ? undefined : platform.engine?.hangUpAll();
    done?.catch((error: unknown) => fail(error));
  });
}

/** The engine in the bootstrap file; `none` before one was added. */
async function engineOf({ stores }: Platform, parts: Parts): Promise<Bootstrap['engine']> {
  if (parts.ari) return { kind: 'asterisk', version: parts.embedded.asterisk?.version ?? null };
  const found = (await stores.engines.list()).find(({ kind }) => isTelephony(kind));
  return { kind: found?.kind ?? 'none', version: found?.version ?? null };
}

/** An embedded start is a trial on one machine: webhooks may go to loopback addresses and transcription is on. The start screen says so. */
function withDefaults(settings: Settings): Settings {
  const { DATABASE_URL, WEBHOOK_ALLOW_LOOPBACK, TRANSCRIPTION_EMBEDDED } = settings;
  const isEmbedded = DATABASE_URL === undefined;
  return {
    ...settings,
    WEBHOOK_ALLOW_LOOPBACK: WEBHOOK_ALLOW_LOOPBACK ?? isEmbedded,
    TRANSCRIPTION_EMBEDDED: TRANSCRIPTION_EMBEDDED ?? isEmbedded,
  };
}

/** Commands for the terminal that started this process, with the settings that were typed there. */
function commandsHere(): Commands {
  const { HATIF_COMMAND_PREFIX: prefix } = process.env;
  const typed = typedSettings(process.env, SETTING_NAMES, environmentFile());
  return commandsFor(prefix === '' ? undefined : prefix, typed);
}

function fail(error: unknown): void {
  if (error instanceof SettingsError) {
    process.stderr.write(`\n${error.message}\n`);
    process.exit(2);
  }
  if (error instanceof EmbeddedError || error instanceof PortUnavailable || error instanceof FolderInUse) {
    const again = 'startWith' in error && error.startWith !== null ? `: ${commandsHere().start(error.startWith)}` : '';
    process.stderr.write(`\n${error.message}${again}\n`);
    process.exit(3);
  }
  if (error instanceof DatabaseUnavailable) {
    process.stderr.write(`\nThe database cannot be reached: ${error.message}. Check DATABASE_URL.\n`);
    process.exit(3);
  }
  process.stderr.write(`\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
}

main().catch(fail);
