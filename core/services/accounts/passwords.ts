import { detailOf, HatifError, type Phrase } from '../../model/errors/index.js';
import { arabic } from '../../model/wording/wording.js';
import type { PasswordHasher } from '../../ports/password-hasher.js';
import type { PasswordStrength } from '../../ports/password-strength.js';

/** In code points, after normalisation. The upper limit bounds the work that one request can cause. */
const SHORTEST = 10;
const LONGEST = 128;

const TOO_SHORT: Phrase = {
  en: `it needs at least ${SHORTEST} characters`,
  ar: arabic`يجب ألا يقل عدد أحرفها عن ${SHORTEST}`,
};
const TOO_LONG: Phrase = {
  en: `it may have at most ${LONGEST} characters`,
  ar: arabic`يجب ألا يزيد عدد أحرفها على ${LONGEST}`,
};
const LEAKED: Phrase = {
  en: 'it is in public lists of leaked passwords',
  ar: 'إنها واردة في قوائم منشورة لكلمات مرور مسرّبة',
};
const WEAK: Phrase = {
  en: 'it is easy to guess; use several unrelated words, and no name or address of yours',
  ar: 'تخمينها سهل؛ استخدم عدة كلمات لا رابط بينها، وتجنب اسمك وعنوانك',
};

/** Words that everybody who attacks this platform tries. */
const PLATFORM_WORDS = ['hatif', 'هاتف'] as const;

/** Who chooses a password: an attacker tries their names first. */
export interface PasswordOwner {
  readonly email: string;
  readonly name: string;
}

export interface PasswordsOptions {
  readonly hasher: PasswordHasher;
  readonly strength: PasswordStrength;
}

/** Passwords of users and administrators: which are accepted, and how they are stored and compared. */
export class Passwords {
  #decoy: Promise<string> | null = null;

  constructor(private readonly options: PasswordsOptions) {}

  hash(password: string): Promise<string> {
    return this.options.hasher.hash(normalized(password));
  }

  /**
   * Whether `hash` was made of this password.
   * @param hash null if there is no such user, or one without a password: the answer is false, after the same time.
   */
  async verify(hash: string | null, password: string): Promise<boolean> {
    const { hasher } = this.options;
    const isPassword = await hasher.verify(hash ?? (await this.#decoyHash()), normalized(password));
    return isPassword && hash !== null;
  }

  /** Why the password is not accepted as a new one; null if it is. */
  problemOf(password: string, { email, name }: PasswordOwner): Phrase | null {
    const { strength } = this.options;
    const text = normalized(password);
    const length = Array.from(text).length;
    if (length < SHORTEST) return TOO_SHORT;
    if (length > LONGEST) return TOO_LONG;
    if (strength.isLeaked(text)) return LEAKED;
    const words = [...PLATFORM_WORDS, ...personalWords(email, name)];
    const bare = withoutWords(text, words);
    const isWeak = strength.isWeak(text, words) || (bare !== null && strength.isWeak(bare, words));
    return isWeak ? WEAK : null;
  }

  /** @throws HatifError PASSWORD_VALIDATION_FAILED if the password is not accepted as a new one. */
  assertAccepted(password: string, owner: PasswordOwner): void {
    const problem = this.problemOf(password, owner);
    if (problem === null) return;
    throw new HatifError('PASSWORD_VALIDATION_FAILED', { problem }, { details: [detailOf('password', problem)] });
  }

  /** A hash of the cost of every other, so that the time of an answer does not say whether a user exists. */
  #decoyHash(): Promise<string> {
    this.#decoy ??= this.options.hasher.hash('the password of nobody').catch((error: unknown) => {
      this.#decoy = null;
      throw error;
    });
    return this.#decoy;
  }
}

/** The same characters can be typed as different code points; NFKC makes them one (NIST SP 800-63B, section 5.1.1.2). */
function normalized(password: string): string {
  return password.normalize('NFKC');
}

function personalWords(email: string, name: string): string[] {
  const [local = '', domain = ''] = email.split('@');
  const names = name.split(/\s+/);
  const words = [email, local, domain, ...domain.split('.'), name, ...names, names.join('')];
  return words.filter((word) => word.length > 2);
}

const SHORTEST_WORD = 4;

/** What the password has beside these words, in lower case; null if it contains none of them. */
function withoutWords(password: string, words: readonly string[]): string | null {
  const text = password.toLowerCase();
  const longestFirst = words
    .filter((word) => word.length >= SHORTEST_WORD)
    .map((word) => word.toLowerCase())
    .toSorted((one, other) => other.length - one.length);
  const bare = longestFirst.reduce((rest, word) => rest.replaceAll(word, ''), text);
  return bare === text ? null : bare;
}
