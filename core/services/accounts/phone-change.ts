import type { ProfileRow, Profiles } from '../../data/repositories/accounts/profiles.js';
import { HatifError, type Phrase } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import type { Verify } from '../verify/verify.js';
import type { Asker } from './in-session.js';

const CODE_LENGTH = 6;
const VALID_SECONDS = 600;

const NO_PROJECT: Phrase = {
  en: 'a project of the organization that sends the code',
  ar: 'مشروع من مشاريع المؤسسة يرسل الرمز',
};
const NOTHING_PENDING: Phrase = {
  en: 'a telephone number that waits for its code',
  ar: 'رقم هاتف ينتظر إدخال رمزه',
};
const WRONG_CODE: Phrase = { en: 'the code is wrong', ar: 'الرمز غير صحيح' };

export interface PhoneChangeOptions {
  readonly profiles: Profiles;
  readonly verify: Pick<Verify, 'start' | 'check'>;
  readonly clock: Clock;
}

/** A user's telephone number: it counts once the code that is sent to it is entered. */
export class PhoneChange {
  constructor(private readonly options: PhoneChangeOptions) {}

  /** Sends the code on behalf of a project of the user. @throws HatifError what {@link Verify.start} refuses. */
  async begin(row: ProfileRow, { requestId, ip }: Asker, phone: string): Promise<void> {
    const { profiles, verify, clock } = this.options;
    if (phone === row.phone) return;
    const project = await profiles.payingProject(row);
    if (project === null) throw new HatifError('NOT_FOUND', { what: NO_PROJECT });
    const { verification_id } = await verify.start(
      {
        to: phone,
        channel: null,
        codeLength: CODE_LENGTH,
        expiresInSeconds: VALID_SECONDS,
        language: row.locale,
        brandId: null,
        endUserIp: ip,
      },
      {
        projectId: project.id,
        organizationId: row.organization_id,
        mainNumber: project.main_number,
        keyId: row.id,
        requestId,
        sandbox: row.account_kind === 'sandbox',
      },
    );
    await profiles.beginPhone({ user_id: row.id, phone, verification_id, project_id: project.id }, clock.now());
  }

  /** @throws HatifError NOT_FOUND, INVALID_IDENTITY for a wrong code, what {@link Verify.check} refuses. */
  async confirm(userId: string, code: string): Promise<void> {
    const { profiles, verify, clock } = this.options;
    const pending = await profiles.pendingPhone(userId);
    if (pending === null) throw new HatifError('NOT_FOUND', { what: NOTHING_PENDING });
    const scope = { projectId: pending.project_id, sandboxOnly: false };
    // A process that died after the right code was entered leaves it verified.
    const { state } = await verify.check(scope, pending.verification_id, code);
    if (state !== 'verified') throw new HatifError('INVALID_IDENTITY', { reason: WRONG_CODE });
    await profiles.confirmPhone(pending, clock.now());
  }
}
