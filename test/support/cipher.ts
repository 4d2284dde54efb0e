import { Cipher } from '../../core/model/access/cipher.js';

/** What tests seal and hash with, where they bring no secret of their own. */
export const TEST_CIPHER = new Cipher('a secret for tests, thirty-two characters');
