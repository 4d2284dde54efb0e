import { Option, type Command } from 'commander';

import { DTMF_MODES, TRUNK_CODECS } from '../../../core/model/trunks/rules.js';
import type { TrunkSettings } from '../../../core/services/trunks/settings.js';
import type { CliContext } from '../../common/context.js';
import { CliError, EXIT } from '../../common/failure.js';
import { commaList, readNumber } from '../../common/options.js';

/** Options of the settings of a trunk; one that is not given is undefined. */
export interface SettingsOptions {
  readonly username?: string;
  /** False: without. */
  readonly credentials?: boolean;
  readonly inbound?: string[];
  readonly foreign?: boolean;
  readonly default?: true;
  readonly probe?: boolean;
  readonly on?: true;
  readonly off?: true;
  readonly register?: boolean;
  readonly capacity?: string;
  readonly codecs?: string[];
  readonly dtmf?: string;
  readonly callerId?: string;
  readonly assertedIdentity?: string;
  readonly privacy?: boolean;
  readonly diversion?: boolean;
}

const NONE = 'none';

/** Adds the options to a command. */
export function withSettings(command: Command): Command {
  return command
    .option(
      '--username <name>',
      'user name for digest authentication; the password is prompted for, or read from standard input',
    )
    .option('--register', 'register at it with the user name and the password')
    .option('--no-register', 'do not register (the default)')
    .option('--inbound <addresses>', 'sources of its incoming calls: addresses, address:port or CIDR ranges', commaList)
    .option('--foreign', 'allow calls to other countries (the default)')
    .option('--no-foreign', 'allow only calls to the home country')
    .option('--probe', 'ask it with OPTIONS whether it answers (the default)')
    .option('--no-probe', 'do not ask it with OPTIONS whether it answers: some carriers do not answer them')
    .option('--default', 'make it the default for outbound calls')
    .addOption(new Option('--off', 'no calls, no registration and no probes').conflicts('on'))
    .addOption(new Option('--on', 'use it (again)').conflicts('off'))
    .option('--capacity <calls>', `the most calls at once, in both directions, or ${NONE} for any number`)
    .option(
      '--codecs <names>',
      `in order of preference, of ${TRUNK_CODECS.join(', ')}, or ${NONE} for those of the installation`,
      commaList,
    )
    .option('--dtmf <mode>', `how digits are sent: ${DTMF_MODES.join(', ')}`)
    .option(
      '--caller-id <rule>',
      'which number callers show: pass (their own choice), main (of the project), or this number',
    )
    .option('--asserted-identity <rule>', 'number in P-Asserted-Identity: caller, main, none, or this number')
    .option('--privacy', 'mark callers who show no number with Privacy: id')
    .option('--no-privacy', 'do not (the default)')
    .option('--diversion', 'name the number that forwards a call in Diversion (the default)')
    .option('--no-diversion', 'do not');
}

/** Reads the options, and asks for the password of a user name. @throws CliError */
export async function readSettings(context: CliContext, options: SettingsOptions): Promise<TrunkSettings> {
  const { username, on, off, capacity, codecs } = options;
  if (username !== undefined && options.credentials === false) {
    throw new CliError('--username and --no-credentials exclude each other.', EXIT.usage);
  }
  const all = {
    ...numberRules(options),
    credentials: options.credentials === false ? null : undefined,
    inboundAddresses: options.inbound,
    foreignNumbers: options.foreign,
    isDefault: options.default,
    isProbed: options.probe,
    enabled: on ?? (off ? false : undefined),
    registers: options.register,
    capacity: capacity === NONE ? null : capacity === undefined ? undefined : readNumber('--capacity', capacity),
    codecs: codecs?.join() === NONE ? null : codecs,
    dtmfMode: options.dtmf,
    privacy: options.privacy,
    diversion: options.diversion,
  };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as TrunkSettings;
  return username === undefined ? given : { ...given, credentials: await readCredentials(context, username) };
}

/** A rule that is a number means this number, which both rules share. */
function numberRules({ callerId, assertedIdentity }: SettingsOptions): TrunkSettings {
  const isNumber = (rule: string | undefined): rule is string => rule !== undefined && /\d/.test(rule);
  const numbers = [...new Set([callerId, assertedIdentity].filter(isNumber))];
  if (numbers.length > 1) {
    throw new CliError('--caller-id and --asserted-identity name different numbers; a trunk has one.', EXIT.usage);
  }
  return {
    ...(callerId !== undefined && { callerId: isNumber(callerId) ? 'fixed' : callerId }),
    ...(assertedIdentity !== undefined && {
      assertedIdentity: isNumber(assertedIdentity) ? 'fixed' : assertedIdentity,
    }),
    ...(numbers[0] !== undefined && { callerIdNumber: numbers[0] }),
  };
}

/** Not an option: passwords on the command line appear in the process list and in the shell's history. */
async function readCredentials(
  context: CliContext,
  username: string,
): Promise<{ readonly username: string; readonly password: string }> {
  const password = await context.readSecret('SIP password of the trunk: ');
  if (password === '') throw new CliError('No password was given.');
  return { username, password };
}
