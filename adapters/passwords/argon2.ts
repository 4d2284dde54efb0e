import { hash, verify, type Algorithm } from '@node-rs/argon2';
import type { PasswordHasher } from '../../core/ports/password-hasher.js';

/** Argon2id by its number: the enum of the package exists for its compiler only. */
const ARGON2ID = 2 as Algorithm.Argon2id;

/** The least that OWASP's Password Storage Cheat Sheet asks for; about 30 ms of one processor. */
const COST = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Argon2id in threads of libuv: the event loop stays free meanwhile. */
export const argon2: PasswordHasher = {
  hash: (password) => hash(password, COST),

  async verify(stored, password) {
    try {
      return await verify(stored, password);
    } catch {
      return false;
    }
  },
};
