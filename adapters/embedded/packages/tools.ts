import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePrefix } from './prefix.js';
import type { Prefix } from './prefix.js';
import type { PackageSetName } from './sets.js';
import { findOnPath } from '../system/files.js';
import { run } from '../system/run.js';
import { EmbeddedError } from '../system/types.js';
import type { PackageOptions, Tool } from '../system/types.js';

interface ToolSpec {
  readonly set: PackageSetName;
  /** Relative to the prefix. */
  readonly program: string;
  readonly versionArgs: readonly string[];
  readonly version: RegExp;
  /** The minimum version of a program on PATH. */
  readonly oldest: readonly number[];
}

const TOOLS = {
  asterisk: {
    set: 'asterisk',
    program: 'usr/sbin/asterisk',
    versionArgs: ['-V'],
    version: /Asterisk (\d[\d.]*)/,
    oldest: [20],
  },
  'redis-server': {
    set: 'redis',
    program: 'usr/bin/redis-server',
    versionArgs: ['--version'],
    version: /v=(\d[\d.]*)/,
    oldest: [6, 2],
  },
  turnserver: {
    set: 'turn',
    program: 'usr/bin/turnserver',
    versionArgs: ['--version'],
    version: /(\d+\.\d+\.\d+)/,
    oldest: [4, 5],
  },
  'espeak-ng': {
    set: 'speech',
    program: 'usr/bin/espeak-ng',
    versionArgs: ['--version'],
    version: /text-to-speech: (\d[\d.]*)/,
    oldest: [1, 50],
  },
  pocketsphinx: {
    set: 'dictation',
    program: 'usr/bin/pocketsphinx',
    versionArgs: ['help'],
    // It does not print its version; earlier releases had differently named programs.
    version: /()JSON with the following fields/,
    oldest: [],
  },
  sipp: { set: 'phones', program: 'usr/bin/sipp', versionArgs: ['-v'], version: /SIPp v(\d[\d.]*)/, oldest: [3, 6] },
  baresip: {
    set: 'phones',
    program: 'usr/bin/baresip',
    versionArgs: ['-h'],
    version: /baresip v(\d[\d.]*)/,
    oldest: [1],
  },
  pebble: {
    set: 'authority',
    program: 'usr/bin/pebble',
    versionArgs: ['-h'],
    // Not every build prints its version.
    version: /()File path to the Pebble configuration file/,
    oldest: [],
  },
} as const satisfies Record<string, ToolSpec>;

export type ToolName = keyof typeof TOOLS;

/**
 * Finds a program: on PATH if it is recent enough, otherwise in its package prefix, which is downloaded if necessary.
 * The program has been run once, so it works on this machine.
 */
export async function resolveTool(name: ToolName, options: PackageOptions): Promise<Tool> {
  const spec: ToolSpec = TOOLS[name];
  const onPath = options.preferEmbedded === true ? undefined : findOnPath(name);
  if (onPath !== undefined) {
    const version = await versionOf(spec, { command: onPath, args: [], env: process.env });
    if (version !== undefined && atLeast(version, spec.oldest)) {
      return { name, version, command: onPath, args: [], env: process.env };
    }
  }
  const prefix = await ensurePrefix(spec.set, options);
  const tool = { command: prefix.loader, args: loaderArgs(prefix, spec.program), env: toolEnv(name, prefix) };
  const version = await versionOf(spec, tool);
  if (version === undefined) {
    throw new EmbeddedError(
      name,
      `the program in ${prefix.path} does not run; delete that directory to download it again`,
    );
  }
  return { name, version, ...tool, prefix: prefix.path };
}

/** Runs the program through the prefix's own loader and libraries, independent of the host's libc. */
function loaderArgs(prefix: Prefix, program: string): string[] {
  return ['--inhibit-cache', '--library-path', prefix.libraryDirs.join(':'), join(prefix.path, program)];
}

function toolEnv(name: ToolName, prefix: Prefix): NodeJS.ProcessEnv {
  if (name !== 'espeak-ng') return process.env;
  const folders = [join('usr', 'lib', prefix.triplet), join('usr', 'share')].map((folder) => join(prefix.path, folder));
  const data = folders.find((folder) => existsSync(join(folder, 'espeak-ng-data')));
  return data === undefined ? process.env : { ...process.env, ESPEAK_DATA_PATH: data };
}

async function versionOf(spec: ToolSpec, tool: Pick<Tool, 'command' | 'args' | 'env'>): Promise<string | undefined> {
  const result = await run(tool.command, [...tool.args, ...spec.versionArgs], {
    env: tool.env,
    timeoutMs: 20_000,
  }).catch(() => undefined);
  return result && spec.version.exec(result.stdout + result.stderr)?.[1];
}

/** Compares a dotted version with a minimum. */
export function atLeast(version: string, oldest: readonly number[]): boolean {
  const have = version.split('.').map(Number);
  for (const [index, need] of oldest.entries()) {
    const part = have[index] ?? 0;
    if (part !== need) return part > need;
  }
  return true;
}
