import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { numberIn, readJson, rotateLog, stringIn, tail, writeJson, writePrivate } from '../system/files.js';
import { withLock } from '../system/lock.js';
import { chooseLoopbackPort, listenFailure } from '../system/ports.js';
import { endProcess, isAlive, processRef, rememberedProcess, waitForExit } from '../system/process.js';
import type { ProcessRef } from '../system/process.js';
import { run, spawnDetached } from '../system/run.js';
import { untilReady } from '../system/until-ready.js';
import { resolveTool } from '../packages/tools.js';
import { EmbeddedError } from '../system/types.js';
import type { AsteriskOptions, EmbeddedPart, PackageOptions, SipOptions, StopOptions, Tool } from '../system/types.js';
import { liveChannels, readyVersion } from './ari-probe.js';
import type { AriAddress } from './ari-probe.js';
import { makeLayout, moduleLines } from './layout.js';
import type { AsteriskLayout } from './layout.js';
import { renderTemplates } from './render.js';
import { TlsFiles } from './tls-files.js';
import { templateValues, usableCodecs } from './values.js';

const READY_WITHIN_MS = 60_000;
const END_WITHIN_MS = 10_000;
const ARI_USER = 'hatif';

export interface AsteriskPart extends EmbeddedPart {
  readonly name: 'asterisk';
  readonly ari: AriAddress;
  readonly sip: { readonly host: string; readonly port: number };
  /** The codecs to allow for endpoints that the application pushes, in order. */
  readonly codecs: readonly string[];
  /** The directory of ARI's stored recordings. */
  readonly recordingDir: string;
  /** The channel event log in CSV (config/asterisk/cel_custom.conf). */
  readonly celFile: string;
  /** True if it was adopted with live calls, and runs with an older configuration until its next start. */
  readonly staleConfig: boolean;
  /**
   * Makes it use the certificate that is now in the files of its options, for new connections; nothing happens if it is
   * the same. Calls and registrations continue. Absent without TLS.
   * @throws EmbeddedError if the files cannot be used; the previous certificate stays
   */
  readonly renewCertificate?: () => Promise<void>;
}

/**
 * Starts Asterisk in `<dataDir>/asterisk`, or adopts one that already runs there. One with another configuration is
 * restarted if it has no calls; otherwise it keeps running (`staleConfig`).
 * @throws EmbeddedError if Asterisk cannot be downloaded, configured or started; includes the end of its log
 */
export async function startAsterisk(
  dataDir: string,
  options: AsteriskOptions,
  packages: PackageOptions,
): Promise<AsteriskPart> {
  const home = join(dataDir, 'asterisk');
  const tool = await resolveTool('asterisk', packages);
  return withLock(join(home, 'start.lock'), () => startLocked(home, options, tool, packages));
}

async function startLocked(
  home: string,
  options: AsteriskOptions,
  tool: Tool,
  packages: PackageOptions,
): Promise<AsteriskPart> {
  const stateFile = join(home, 'state.json');
  const accessFile = join(home, 'ari.json');
  const layout = await makeLayout(home, tool);
  if (options.holdMusicDir !== undefined) await requireMusic(options.holdMusicDir);
  const state = readJson(stateFile);
  const running = rememberedProcess(state, home);

  const known = readJson(accessFile);
  const password = stringIn(known, 'password') ?? randomBytes(24).toString('hex');
  const knownPort = numberIn(known, 'port');
  const wantedPort = options.ariPort ?? 0;
  // A running Asterisk occupies its own port, so a free port is only chosen for a new one.
  const portNow = wantedPort > 0 ? wantedPort : running ? knownPort : undefined;
  const port = portNow ?? (await chooseLoopbackPort(knownPort));
  const templates = options.templatesDir ?? defaultTemplates();
  const modules = await moduleLines(join(templates, 'modules.list'), layout.modulesDir);
  const tls = options.sip.tls && new TlsFiles(layout.etcDir, options.sip.tls);
  const sip = { ...options.sip, ...(tls && { tls: tls.copied }) };
  const values = templateValues({ ...options, sip }, layout, modules, { port, user: ARI_USER, password });
  const config = await renderTemplates(templates, values);
  const configHash = hashOf(config, tool);

  let isRead = true;
  if (running) {
    const part = await adopt(running, stringIn(state, 'configHash') === configHash, knownPort ?? port);
    if (part) return part;
  }
  return start();

  async function adopt(process: ProcessRef, sameConfig: boolean, ariPort: number): Promise<AsteriskPart | undefined> {
    const ari = addressAt(ariPort, password);
    const version = await untilReady(
      () => readyVersion(ari),
      () => isAlive(process),
      10_000,
    );
    const calls = version === undefined ? undefined : await liveChannels(ari);
    if (version !== undefined && (sameConfig || (calls !== undefined && calls > 0))) {
      // A process that was killed may have copied a certificate that Asterisk has not read.
      isRead = false;
      await renewCertificate().catch((error: unknown) => packages.onProgress?.(`Warning: ${String(error)}`));
      if (!sameConfig) {
        packages.onProgress?.(
          'Warning: Asterisk has live calls and keeps its old configuration; restart after they have ended',
        );
      }
      return partOf(process, version, ari, true, !sameConfig);
    }
    // It does not answer, or has no calls and another configuration.
    await endProcess(process, 'SIGTERM', END_WITHIN_MS);
    return undefined;
  }

  async function start(): Promise<AsteriskPart> {
    await requireSip(options.sip);
    tls?.copy();
    for (const [name, text] of config) writePrivate(join(layout.etcDir, name), text);
    writeJson(accessFile, { port, password });
    const logFile = join(layout.logDir, 'console.log');
    await Promise.all([
      rotateLog(logFile),
      rotateLog(join(layout.logDir, 'messages')),
      rotateLog(celFileOf(layout), 100 * 1024 * 1024),
    ]);
    const args = [...tool.args, '-C', join(layout.etcDir, 'asterisk.conf'), '-f'];
    const { pid, exited } = await spawnDetached(tool.command, args, { env: tool.env, cwd: home, logFile });
    const process = processRef(pid);
    let gone = process === undefined;
    void exited.then(() => (gone = true));
    const ari = addressAt(port, password);
    if (process) writeJson(stateFile, { process, configHash });
    const version = await untilReady(
      () => readyVersion(ari),
      () => !gone,
      READY_WITHIN_MS,
    );
    if (version === undefined || !process) {
      if (process) await endProcess(process, 'SIGTERM', END_WITHIN_MS);
      const lastLines = tail(logFile, 3) || tail(join(layout.logDir, 'messages'), 5);
      throw new EmbeddedError('asterisk', `it did not become ready (see ${logFile}): ${lastLines}`);
    }
    const problem = await missingTransport(options.sip, layout, tool);
    if (problem !== undefined) {
      await endProcess(process, 'SIGTERM', END_WITHIN_MS);
      throw new EmbeddedError('asterisk', problem);
    }
    return partOf(process, version, ari, false, false);
  }

  /** Asterisk closes the port of TLS for a moment, and keeps the connections that it has. */
  async function renewCertificate(): Promise<void> {
    if (!tls || (!tls.copy() && isRead)) return;
    isRead = false;
    const answer = await asteriskCommand(layout, tool, 'module reload res_pjsip.so');
    if (!answer.includes('reloaded successfully')) {
      throw new EmbeddedError('asterisk', `it did not read the new certificate: ${answer.trim()}`);
    }
    isRead = true;
  }

  function partOf(
    process: ProcessRef,
    version: string,
    ari: AriAddress,
    adopted: boolean,
    staleConfig: boolean,
  ): AsteriskPart {
    return {
      name: 'asterisk',
      version,
      pid: process.pid,
      adopted,
      staleConfig,
      ari,
      sip: { host: options.sip.bind, port: options.sip.port },
      codecs: usableCodecs(options, modules),
      recordingDir: join(layout.spoolDir, 'recording'),
      celFile: celFileOf(layout),
      logFile: join(layout.logDir, 'messages'),
      ...(tls && { renewCertificate }),
      stop: (stopOptions) => stopAsterisk(process, layout, tool, stopOptions),
    };
  }
}

/** If `drainMs` is set, first lets live calls end; then stops Asterisk. */
async function stopAsterisk(
  process: ProcessRef,
  layout: AsteriskLayout,
  tool: Tool,
  options?: StopOptions,
): Promise<void> {
  const drainMs = options?.drainMs ?? 0;
  if (drainMs > 0 && isAlive(process)) {
    await asteriskCommand(layout, tool, 'core stop gracefully');
    if (await waitForExit(process, drainMs)) return;
  }
  await endProcess(process, 'SIGTERM', END_WITHIN_MS);
}

async function asteriskCommand(layout: AsteriskLayout, tool: Tool, command: string): Promise<string> {
  const args = [...tool.args, '-C', join(layout.etcDir, 'asterisk.conf'), '-rx', command];
  const result = await run(tool.command, args, { env: tool.env, timeoutMs: 10_000 });
  return result.stdout;
}

/** Checks the addresses of the SIP transports: Asterisk itself does not report why it cannot listen. @throws EmbeddedError */
async function requireSip({ bind, port, tls }: SipOptions): Promise<void> {
  for (const [protocol, setting, wanted] of [
    ['udp', 'SIP_PORT', port],
    ['tcp', 'SIP_PORT', port],
    ...(tls ? ([['tcp', 'SIP_TLS_PORT', tls.port]] as const) : []),
  ] as const) {
    const code = await listenFailure(protocol, bind, wanted);
    if (code === null) continue;
    const cannot = `it cannot listen for SIP on ${bind} port ${wanted} (${protocol})`;
    if (code === 'EADDRNOTAVAIL') {
      const allowed = 'must be an IP address of this machine, or 0.0.0.0 for all of them';
      throw new EmbeddedError('asterisk', `${cannot}. SIP_BIND: ${allowed}, but is "${bind}"`);
    }
    const [why, other] =
      code === 'EADDRINUSE'
        ? ['another program uses it', Math.min(wanted + 2, 65_535)]
        : code === 'EACCES'
          ? ['ports below 1024 need root', 5060]
          : [code, 5060];
    throw new EmbeddedError('asterisk', `${cannot}: ${why}. Choose another port`, {
      startWith: `${setting}=${other}`,
    });
  }
}

/** Asterisk starts without a transport that it cannot open; this must count as a failure. */
async function missingTransport(
  { bind, port, tls }: SipOptions,
  layout: AsteriskLayout,
  tool: Tool,
): Promise<string | undefined> {
  const listed = await asteriskCommand(layout, tool, 'pjsip show transports');
  const isMissing = (name: string): boolean => !new RegExp(`Transport:\\s+${name}\\s`).test(listed);
  const missing = ['udp', 'tcp'].filter(isMissing);
  if (missing.length > 0)
    return `it could not listen for SIP on ${bind} port ${port} (${missing.join(' and ')}): check SIP_BIND and SIP_PORT`;
  if (!tls || !isMissing('tls')) return undefined;
  return `it could not open SIP over TLS on ${bind} port ${tls.port}: check SIP_TLS_CERT, SIP_TLS_KEY and SIP_TLS_PORT`;
}

function addressAt(port: number, password: string): AriAddress {
  return { url: `http://127.0.0.1:${port}/ari`, user: ARI_USER, password };
}

function celFileOf(layout: AsteriskLayout): string {
  return join(layout.logDir, 'cel-custom', 'hatif.csv');
}

function hashOf(config: ReadonlyMap<string, string>, tool: Tool): string {
  const hash = createHash('sha256').update(tool.version);
  for (const [name, text] of config) hash.update(`\0${name}\0${text}`);
  return hash.digest('hex');
}

/** Finds `config/asterisk` of this package, in the sources as well as in the build. */
function defaultTemplates(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'config', 'asterisk', 'modules.list'))) {
    const parent = dirname(folder);
    if (parent === folder)
      throw new EmbeddedError('asterisk', 'its configuration templates (config/asterisk) are missing');
    folder = parent;
  }
  return join(folder, 'config', 'asterisk');
}

/** Without any music file, held calls would be silent. @throws EmbeddedError */
async function requireMusic(folder: string): Promise<void> {
  const files = await readdir(folder).catch(() => []);
  if (files.some((name) => /\.(wav|wav16|g722|alaw|ulaw|gsm|sln|sln16)$/.test(name))) return;
  const allowed = 'must be a folder with music (8 kHz .wav files or 16 kHz .wav16 files)';
  throw new EmbeddedError('asterisk', `HOLD_MUSIC_DIR: ${allowed}, but is "${folder}"`);
}
