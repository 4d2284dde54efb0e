/** Names of settings whose values are secrets, or URLs that contain one. */
const SECRET = /SECRET|PASSWORD|_KEY(_ID)?$|^(DATABASE|REDIS|SMTP)_URL$/;

const HIDDEN = '; the value is not shown, because it may contain a secret';

/**
 * Names the variable, says what is allowed and shows the value, unless it is or may contain a secret.
 * @param allowed such as `must be …`
 */
export function settingProblem(name: string, allowed: string, value = ''): string {
  const isShown = name === 'SIP_TLS_KEY' || (!SECRET.test(name) && !value.includes('@'));
  return `${name}: ${allowed}${isShown ? `, but is "${value}"` : HIDDEN}`;
}

/** One or more settings are invalid; `problems` names each variable, what is allowed, and the value. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  constructor(readonly problems: readonly string[]) {
    super(`Settings are invalid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}
