/** Names of settings whose values are secrets, or URLs that contain one. */
const SECRET = /SECRET|PASSWORD|_TOKEN$|_KEY(_ID)?$|^(DATABASE|REDIS|SMTP)_URL$/;

/** How names of settings end whose values are paths of files with a secret. */
const KEY_FILE = '_TLS_KEY';

const HIDDEN = '; the value is not shown, because it may contain a secret';

/**
 * Names the variable, says what is allowed and shows the value, unless it is or may contain a secret.
 * @param allowed such as `must be …`
 */
export function settingProblem(name: string, allowed: string, value = ''): string {
  if (value === '') return `${name}: ${allowed}, but is not set`;
  return `${name}: ${allowed}${mayBeShown(name, value) ? `, but is "${value}"` : HIDDEN}`;
}

function mayBeShown(name: string, value: string): boolean {
  return name.endsWith(KEY_FILE) || (!SECRET.test(name) && !value.includes('@'));
}

/**
 * The settings as they are typed before a command, for example `PORT=8090`. In place of a value that may be a secret
 * stands `…`.
 * @param environment the environment variables
 * @param names all settings
 * @param file the variables of `.env`, which need not be typed
 */
export function typedSettings(
  environment: Environment,
  names: readonly string[],
  file: Environment,
): readonly string[] {
  return names.flatMap((name) => {
    const value = environment[name] ?? '';
    if (value === '' || value === file[name]) return [];
    return `${name}=${mayBeShown(name, value) ? quoted(value) : '…'}`;
  });
}

type Environment = Readonly<Record<string, string | undefined>>;

/** For a POSIX shell. */
function quoted(value: string): string {
  return /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}

/** One or more settings are invalid; `problems` names each variable, what is allowed, and the value. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  constructor(readonly problems: readonly string[]) {
    super(`Settings are invalid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}
