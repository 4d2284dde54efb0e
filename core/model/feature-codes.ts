import type { ForwardCase } from './call/forwarding.js';

/**
 * What softphones dial for a service, by its name. A code of `TAKES` is followed by what it takes: a queue's dial code, or
 * the destination of a forward. The codes of forwards are those of mobile networks (3GPP TS 22.030); the others are usual
 * in PBXs. `docs/reference/feature-codes.md` shows this table.
 */
export const FEATURE_CODES = {
  echo: '*43',
  queue_login: '*45',
  queue_logout: '*46',
  pause: '*47',
  block_caller: '*60',
  block_caller_for_me: '*66',
  reject_anonymous: '*77',
  accept_anonymous: '*87',
  forward_always: '*21*',
  forward_no_answer: '*61*',
  forward_unregistered: '*62*',
  forward_busy: '*67*',
  cancel_forward_always: '#21#',
  cancel_forward_no_answer: '#61#',
  cancel_forward_unregistered: '#62#',
  cancel_forward_busy: '#67#',
  cancel_forwards: '#002#',
  do_not_disturb: '*78',
  cancel_do_not_disturb: '*79',
  voicemail: '*98',
} as const;

export type FeatureName = keyof typeof FEATURE_CODES;
export type FeatureCodes = Readonly<Record<FeatureName, string>>;

/** What an agent changes by a code. */
export type AgentFeature =
  | { readonly does: 'log_in' | 'log_out'; readonly dialCode: string }
  /** `block_caller` for the whole project, `block_own_caller` for the agent alone. */
  | { readonly does: 'pause' | 'block_caller' | 'block_own_caller' | 'unknown' }
  | { readonly does: 'reject_anonymous'; readonly on: boolean }
  | {
      readonly does: 'forward';
      readonly case: ForwardCase;
      /** As dialled: an extension, a number or {@link VOICEMAIL_DIGIT}. */
      readonly to: string;
      /** How long the phone rings first; null: as before. */
      readonly seconds: number | null;
    }
  | { readonly does: 'cancel_forward'; readonly case: ForwardCase }
  | { readonly does: 'cancel_forwards' }
  | { readonly does: 'do_not_disturb'; readonly on: boolean };

export type DialledFeature = AgentFeature | { readonly does: 'echo' | 'voicemail' };

/** The features without anything behind the code. */
const PLAIN: Readonly<Partial<Record<FeatureName, DialledFeature>>> = {
  echo: { does: 'echo' },
  pause: { does: 'pause' },
  block_caller: { does: 'block_caller' },
  block_caller_for_me: { does: 'block_own_caller' },
  reject_anonymous: { does: 'reject_anonymous', on: true },
  accept_anonymous: { does: 'reject_anonymous', on: false },
  cancel_forward_always: { does: 'cancel_forward', case: 'always' },
  cancel_forward_no_answer: { does: 'cancel_forward', case: 'no_answer' },
  cancel_forward_unregistered: { does: 'cancel_forward', case: 'unregistered' },
  cancel_forward_busy: { does: 'cancel_forward', case: 'busy' },
  cancel_forwards: { does: 'cancel_forwards' },
  do_not_disturb: { does: 'do_not_disturb', on: true },
  cancel_do_not_disturb: { does: 'do_not_disturb', on: false },
  voicemail: { does: 'voicemail' },
};

/** @returns null if this is not what the code takes */
type Reader = (rest: string) => DialledFeature | null;

const ofQueue =
  (does: 'log_in' | 'log_out'): Reader =>
  (dialCode) =>
    /^\d{1,8}$/.test(dialCode) ? { does, dialCode } : null;

/** What stands for the agent's voicemail: no extension is so short. */
export const VOICEMAIL_DIGIT = '0';

/** `1002`, `0501234567`; with the seconds behind `*` or `**`, as mobile phones send them: `0501234567**20`. */
const DESTINATION = /^(0|\+?[0-9A-Za-z._-]{2,32})(?:\*{1,2}(\d{1,3}))?$/;

const forward =
  (when: ForwardCase): Reader =>
  (rest) => {
    const [, to, seconds] = DESTINATION.exec(rest) ?? [];
    if (to === undefined || (seconds !== undefined && when !== 'no_answer')) return null;
    return { does: 'forward', case: when, to, seconds: seconds === undefined ? null : Number(seconds) };
  };

/** The features with something behind the code. */
const TAKES: Readonly<Partial<Record<FeatureName, Reader>>> = {
  queue_login: ofQueue('log_in'),
  queue_logout: ofQueue('log_out'),
  forward_always: forward('always'),
  forward_no_answer: forward('no_answer'),
  forward_unregistered: forward('unregistered'),
  forward_busy: forward('busy'),
};

const FORM = /^[*#][0-9*#]{1,7}$/;

/**
 * The codes of an installation: the usual ones, with its own in their places.
 * @returns the fault of the first entry that cannot be used, as the end of a sentence about the entries
 */
export function featureCodes(
  own: Readonly<Record<string, string>>,
): FeatureCodes | { readonly fault: string; readonly entry: string } {
  const codes: Record<string, string> = { ...FEATURE_CODES };
  for (const [name, code] of Object.entries(own)) {
    const entry = `${name}=${code}`;
    if (!Object.hasOwn(FEATURE_CODES, name)) {
      return { fault: `must name features out of ${Object.keys(FEATURE_CODES).join(', ')}`, entry };
    }
    if (!FORM.test(code)) return { fault: 'must have codes such as *72: * or #, then 1 to 7 digits, * or #', entry };
    codes[name] = code;
  }
  const names = Object.keys(codes);
  const twice = names.find((name, index) => names.findIndex((other) => same(codes[other], codes[name])) !== index);
  if (twice === undefined) return codes as FeatureCodes;
  return { fault: 'must have a code of its own for each feature', entry: `${twice}=${codes[twice] ?? ''}` };
}

/**
 * Reads what a softphone dialled. A `#` at the end may be missing: phones use it to begin the call.
 * @returns null if this is no code at all; `unknown` for one that no feature has
 */
export function readFeatureCode(dialled: string, codes: FeatureCodes): DialledFeature | null {
  if (!/^(?:[*#]|%23)/.test(dialled)) return null;
  // Some engines leave the # as phones write it into a SIP address. `##21#` is `#21#`, with which mobile phones also erase.
  const text = dialled.replaceAll('%23', '#').replace(/^##/, '#');
  const names = Object.keys(codes) as FeatureName[];
  const plain = names.find((name) => PLAIN[name] !== undefined && same(codes[name], text));
  const feature = plain && PLAIN[plain];
  if (feature) return feature;
  const rest = text.replace(/#$/, '');
  const longestFirst = names.toSorted((one, other) => codes[other].length - codes[one].length);
  for (const name of longestFirst) {
    const taken = rest.startsWith(codes[name]) ? TAKES[name]?.(rest.slice(codes[name].length)) : null;
    if (taken) return taken;
  }
  return { does: 'unknown' };
}

/** Whether both are the same code, with or without the last `#`. */
function same(one: string | undefined, other: string | undefined): boolean {
  return one?.replace(/#$/, '') === other?.replace(/#$/, '');
}
