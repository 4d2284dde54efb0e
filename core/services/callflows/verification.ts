import type { ProjectRow, VerifyChannel } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import type { FlowLanguage } from '../../model/flow/parts.js';
import { newId } from '../../model/ids.js';
import { parseNumber } from '../../model/phone-numbers.js';
import type { Verify } from '../verify/verify.js';

/** A code to be sent on behalf of a flow. */
export interface FlowCode {
  /** A telephone number, or an e-mail address. */
  readonly to: string;
  readonly channel: VerifyChannel | null;
  readonly language: FlowLanguage;
  readonly length: number;
}

export interface FlowVerificationOptions {
  readonly verify: Pick<Verify, 'start' | 'check'>;
  readonly project: (projectId: string) => Promise<Pick<ProjectRow, 'id' | 'organization_id' | 'main_number'> | null>;
  /** Whose key wrote the version of the flow: the code is sent in its name. */
  readonly author: (callflowId: string, version: number) => Promise<string | null>;
}

const LIFETIME_SECONDS = 300;

/** Verifications of the API, as a flow uses them: with the same limits, attempts and event. */
export class FlowVerification {
  constructor(private readonly options: FlowVerificationOptions) {}

  /** @returns the verification's id, or null where no code could be sent */
  async send(
    projectId: string,
    flow: { readonly callflowId: string; readonly version: number },
    { to, channel, language, length }: FlowCode,
  ): Promise<string | null> {
    const { verify, project, author } = this.options;
    const [row, keyId] = await Promise.all([project(projectId), author(flow.callflowId, flow.version)]);
    const recipient = to.includes('@') ? to : parseNumber(to, { allowForeign: true })?.e164;
    if (!row || keyId === null || recipient === undefined) return null;
    const request = {
      to: recipient,
      channel,
      codeLength: length,
      expiresInSeconds: LIFETIME_SECONDS,
      language,
      brandId: null,
      endUserIp: null,
    };
    const placer = {
      projectId,
      organizationId: row.organization_id,
      mainNumber: row.main_number,
      keyId,
      requestId: newId(),
      sandbox: false,
    };
    try {
      return (await verify.start(request, placer)).verification_id;
    } catch (error) {
      if (error instanceof HatifError) return null;
      throw error;
    }
  }

  async check(
    projectId: string,
    verificationId: string,
    code: string,
  ): Promise<{ readonly verified: boolean; readonly isOver: boolean }> {
    try {
      const scope = { projectId, sandboxOnly: false };
      const { verified, state } = await this.options.verify.check(scope, verificationId, code);
      return { verified, isOver: state !== 'pending' };
    } catch (error) {
      if (!(error instanceof HatifError)) throw error;
      // Too few digits cost nothing; anything else is the end of it.
      return { verified: false, isOver: error.code !== 'VERIFY_INVALID_CODE' };
    }
  }
}
