import { expect } from 'chai';
import { argon2 } from '../../../adapters/passwords/argon2.js';
import { zxcvbn } from '../../../adapters/passwords/zxcvbn.js';
import type { PasswordHasher } from '../../../core/ports/password-hasher.js';
import { Passwords } from '../../../core/services/accounts/passwords.js';

const OWNER = { email: 'huda.alqahtani@najd-logistics.example', name: 'Huda Alqahtani' };
const GOOD = 'seven lanterns beside the quay';

describe('passwords', () => {
  const passwords = new Passwords({ hasher: argon2, strength: zxcvbn });
  const problemOf = (password: string): string => passwords.problemOf(password, OWNER)?.en ?? 'none';

  describe('stored', () => {
    it('as argon2id with 19 MiB, two passes and a salt of its own', async () => {
      const [first, second] = await Promise.all([passwords.hash(GOOD), passwords.hash(GOOD)]);
      expect(first).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
      expect(second).not.to.equal(first);
    });

    it('are found again, and no other password is', async () => {
      const hash = await passwords.hash(GOOD);
      expect(await passwords.verify(hash, GOOD)).to.equal(true);
      expect(await passwords.verify(hash, `${GOOD} `)).to.equal(false);
      expect(await passwords.verify(hash, '')).to.equal(false);
    });

    it('are the same whether a keyboard composes its letters or not', async () => {
      const hash = await passwords.hash('café au bord du quai'.normalize('NFC'));
      expect(await passwords.verify(hash, 'café au bord du quai'.normalize('NFD'))).to.equal(true);
    });

    it('fit nothing if the stored text is no hash', async () => {
      expect(await passwords.verify('', GOOD)).to.equal(false);
      expect(await passwords.verify('$argon2id$v=19$m=19456', GOOD)).to.equal(false);
    });
  });

  describe('of a user who does not exist', () => {
    it('cost one verification of a real hash, and never fit', async () => {
      const verified: string[] = [];
      const hasher: PasswordHasher = {
        hash: (password) => argon2.hash(password),
        verify: async (hash, password) => {
          verified.push(hash);
          return argon2.verify(hash, password);
        },
      };
      const counted = new Passwords({ hasher, strength: zxcvbn });
      expect(await counted.verify(null, GOOD)).to.equal(false);
      expect(await counted.verify(null, 'the password of nobody')).to.equal(false);
      expect(verified).to.have.length(2);
      expect(verified[0]).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
      expect(verified[1]).to.equal(verified[0]);
    });

    it('are compared again after the first hash failed', async () => {
      let fails = true;
      const hasher: PasswordHasher = {
        hash: (password) => (fails ? Promise.reject(new Error('no memory')) : argon2.hash(password)),
        verify: (hash, password) => argon2.verify(hash, password),
      };
      const counted = new Passwords({ hasher, strength: zxcvbn });
      const failure = await counted.verify(null, GOOD).catch((error: unknown) => error);
      expect(failure).to.be.an('error').with.property('message', 'no memory');
      fails = false;
      expect(await counted.verify(null, GOOD)).to.equal(false);
    });
  });

  describe('that are chosen', () => {
    it('are accepted if nobody guesses them soon', () => {
      expect(problemOf(GOOD)).to.equal('none');
      expect(problemOf('ثلاث نخلات وراء الجسر القديم')).to.equal('none');
      expect(problemOf('x7Kq!pR2vZ')).to.equal('none');
    });

    it('have 10 to 128 code points', () => {
      expect(problemOf('x7Kq!pR2v')).to.equal('it needs at least 10 characters');
      expect(problemOf('🐪🌴🕌⛵🏜🪔🎐🧿🪁')).to.equal('it needs at least 10 characters');
      expect(problemOf('seven lanterns beside the quay '.repeat(5).slice(0, 128))).to.equal('none');
      expect(problemOf('seven lanterns beside the quay '.repeat(5).slice(0, 129))).to.equal(
        'it may have at most 128 characters',
      );
    });

    for (const weak of ['a'.repeat(29), 'qwertyuiopasd1', 'Password2026!', '0501234567', 'december2026']) {
      it(`are refused if they are easy to guess: ${weak}`, () => {
        expect(problemOf(weak)).to.match(/^it is easy to guess/);
      });
    }

    it('are refused if they are in public lists, whatever their capitals', () => {
      expect(problemOf('Z3CpA3eKtS')).to.match(/^it is in public lists/);
      expect(problemOf('z3cpa3ekts')).to.match(/^it is in public lists/);
    });

    it('are refused if they are the name or the address of their owner', () => {
      expect(problemOf('HudaAlqahtani')).to.match(/^it is easy to guess/);
      expect(problemOf('najd-logistics1')).to.match(/^it is easy to guess/);
      expect(passwords.problemOf('najd-logistics1', { email: 'omar@tahlia.example', name: 'Omar' })).to.equal(null);
    });

    it('are refused if they are little more than the name of the platform', () => {
      expect(problemOf('hatif-hatif1')).to.match(/^it is easy to guess/);
      expect(problemOf('Hatif@2026!')).to.match(/^it is easy to guess/);
      expect(problemOf('هاتف2026هاتف')).to.match(/^it is easy to guess/);
      expect(problemOf('Huda-hatif-77')).to.match(/^it is easy to guess/);
      expect(problemOf('hatif beside seven lanterns')).to.equal('none');
    });

    it('are described in both languages', () => {
      expect(passwords.problemOf('short', OWNER)?.ar).to.equal('يجب ألا يقل عدد أحرفها عن 10');
    });
  });
});
