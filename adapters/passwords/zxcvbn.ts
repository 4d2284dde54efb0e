import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import * as common from '@zxcvbn-ts/language-common';
import * as english from '@zxcvbn-ts/language-en';
import type { PasswordStrength } from '../../core/ports/password-strength.js';
import { isLeaked } from './leaked-passwords.js';

/** 0 to 4: from 3 on, a guess of a stolen slow hash takes about 10^8 attempts. */
const LEAST_SCORE = 3;

/**
 * Limits of one judgement, which holds the event loop: without them a crafted password of 128 characters takes seconds,
 * with them at most a few hundredths of one. The start of a long password alone must reach the score.
 */
const JUDGED_LENGTH = 40;
const MOST_SUBSTITUTIONS = 10;
const LONGEST_PERSONAL_WORD = 100;

let factory: ZxcvbnFactory | null = null;

/** zxcvbn with its common and English dictionaries, which are loaded at the first password, and the bundled list. */
export const zxcvbn: PasswordStrength = {
  isLeaked,

  isWeak(password, personal) {
    factory ??= new ZxcvbnFactory({
      dictionary: { ...common.dictionary, ...english.dictionary },
      graphs: common.adjacencyGraphs,
      maxLength: JUDGED_LENGTH,
      l33tMaxSubstitutions: MOST_SUBSTITUTIONS,
    });
    const words = personal.map((word) => word.slice(0, LONGEST_PERSONAL_WORD));
    return factory.check(password, words).score < LEAST_SCORE;
  },
};
