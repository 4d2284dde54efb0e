import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { isoCBOR } from '@simplewebauthn/server/helpers';

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const BACKUP_ELIGIBLE = 0x08;
const BACKED_UP = 0x10;
const HAS_CREDENTIAL = 0x40;

interface Passkey {
  readonly id: Buffer;
  readonly rpId: string;
  readonly userHandle: string;
  readonly privateKey: KeyObject;
  counter: number;
}

export interface AuthenticatorOptions {
  /** The origin of the page that asks, as the browser tells it. */
  readonly origin: string;
  /** Whether the device verifies its owner; by default it does. */
  readonly verifiesUser?: boolean;
  /** Whether passkeys are synchronized, and so not counted. */
  readonly syncs?: boolean;
  /** The ID of every passkey, base64url; by default a random one. */
  readonly credentialId?: string;
}

/** A browser with an authenticator (Web Authentication, level 2): real keys and signatures, without a person. */
export class SoftwareAuthenticator {
  readonly #passkeys: Passkey[] = [];

  constructor(readonly options: AuthenticatorOptions) {}

  /** Makes a passkey, as `navigator.credentials.create()`. */
  create(asked: PublicKeyCredentialCreationOptionsJSON): RegistrationResponseJSON {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const rpId = asked.rp.id ?? '';
    const { credentialId } = this.options;
    const keyId = credentialId === undefined ? randomBytes(32) : Buffer.from(credentialId, 'base64url');
    const passkey: Passkey = { id: keyId, rpId, userHandle: asked.user.id, privateKey, counter: 0 };
    this.#passkeys.push(passkey);
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const cose = isoCBOR.encode(
      new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, bytes(x)],
        [-3, bytes(y)],
      ]),
    );
    const length = Buffer.alloc(2);
    length.writeUInt16BE(passkey.id.length);
    const authData = Buffer.concat([
      this.#authData(passkey, HAS_CREDENTIAL),
      Buffer.alloc(16),
      length,
      passkey.id,
      Buffer.from(cose),
    ]);
    const attestation = isoCBOR.encode(
      new Map<string, string | Map<string, never> | Uint8Array>([
        ['fmt', 'none'],
        ['attStmt', new Map<string, never>()],
        ['authData', Uint8Array.from(authData)],
      ]),
    );
    const id = passkey.id.toString('base64url');
    return {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: this.#clientData('webauthn.create', asked.challenge).toString('base64url'),
        attestationObject: Buffer.from(attestation).toString('base64url'),
        transports: ['internal'],
      },
    };
  }

  /** Signs with the newest passkey of the site, as `navigator.credentials.get()`. */
  get(asked: PublicKeyCredentialRequestOptionsJSON): AuthenticationResponseJSON {
    const passkey = this.#passkeys.findLast(({ rpId }) => rpId === asked.rpId);
    if (passkey === undefined) throw new Error(`no passkey for ${String(asked.rpId)}`);
    if (this.options.syncs !== true) passkey.counter += 1;
    const authData = this.#authData(passkey, 0);
    const clientData = this.#clientData('webauthn.get', asked.challenge);
    const signed = Buffer.concat([authData, createHash('sha256').update(clientData).digest()]);
    const id = passkey.id.toString('base64url');
    return {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: sign('sha256', signed, passkey.privateKey).toString('base64url'),
        userHandle: passkey.userHandle,
      },
    };
  }

  /** A copy of the device, as a thief would make it: the same keys, and counts of its own. */
  copy(options: Partial<AuthenticatorOptions> = {}): SoftwareAuthenticator {
    const copied = new SoftwareAuthenticator({ ...this.options, ...options });
    copied.#passkeys.push(...this.#passkeys.map((passkey) => ({ ...passkey })));
    return copied;
  }

  #authData({ rpId, counter }: Passkey, more: number): Buffer {
    const { verifiesUser = true, syncs = false } = this.options;
    const flags = USER_PRESENT | (verifiesUser ? USER_VERIFIED : 0) | (syncs ? BACKUP_ELIGIBLE | BACKED_UP : 0) | more;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.of(flags), count]);
  }

  #clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.options.origin, crossOrigin: false }), 'utf8');
  }
}

function bytes(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'base64url'));
}
