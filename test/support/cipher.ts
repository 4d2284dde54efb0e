import { Cipher } from '../../core/model/access/cipher.js';

/** Seals and hashes in tests that have no secret of their own. */
export const TEST_CIPHER = new Cipher('a secret for tests, thirty-two characters');
