import type { ProjectKind } from '../../data/repositories/project-kind.js';
import type { ProjectRow, VerifyChannel } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import type { FlowLanguage } from '../../model/flow/parts/fields.js';
import { newId } from '../../model/ids.js';
import { parseNumber } from '../../model/phone-numbers.js';
import type { Verify } from '../verify/verify.js';

/** A request to send a code on behalf of a flow. */
export interface FlowCode {
  /** A phone number or an e-mail address. */
  readonly to: string;
  readonly channel: VerifyChannel | null;
  readonly language: FlowLanguage;
  readonly length: number;
  /** The number is the caller's own, so the line is busy and a voice call cannot deliver the code. */
  readonly isOnLine: boolean;
}

/** The verification, or the reason why no code was sent. */
export type SentFlowCode = { readonly verificationId: string } | { readonly refused: 'own_line' | 'not_sent' };

export interface FlowVerificationOptions {
  readonly verify: Pick<Verify, 'start' | 'check'>;
  readonly project: (projectId: string) => Promise<Pick<ProjectRow, 'id' | 'organization_id' | 'main_number'> | null>;
  /** The API key that created the version of the flow. The code is sent on its behalf. */
  readonly author: (callflowId: string, version: number) => Promise<string | null>;
}

const LIFETIME_SECONDS = 300;
const NOT_SENT: SentFlowCode = { refused: 'not_sent' };
const OWN_LINE: SentFlowCode = { refused: 'own_line' };

/** Verifications for flows, with the same limits, attempts and events as over the API. */
export class FlowVerification {
  constructor(private readonly options: FlowVerificationOptions) {}

  /** Of a sandbox call, the code is one of the sandbox: nothing is sent. */
  async send(
    { projectId, sandbox }: ProjectKind,
    flow: { readonly callflowId: string; readonly version: number },
    { to, channel, language, length, isOnLine }: FlowCode,
  ): Promise<SentFlowCode> {
    const { verify, project, author } = this.options;
    const [row, keyId] = await Promise.all([project(projectId), author(flow.callflowId, flow.version)]);
    const recipient = to.includes('@') ? to : parseNumber(to, { allowForeign: true })?.e164;
    if (!row || keyId === null || recipient === undefined) return NOT_SENT;
    const request = {
      to: recipient,
      channel,
      neverByVoice: isOnLine,
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
      sandbox,
    };
    try {
      return { verificationId: (await verify.start(request, placer)).verification_id };
    } catch (error) {
      if (!(error instanceof HatifError)) throw error;
      return isOnLine && error.code === 'CHANNEL_NOT_CONFIGURED' ? OWN_LINE : NOT_SENT;
    }
  }

  async check(
    { projectId, sandbox }: ProjectKind,
    verificationId: string,
    code: string,
  ): Promise<{ readonly verified: boolean; readonly isOver: boolean }> {
    try {
      const scope = { projectId, sandboxOnly: sandbox };
      const { verified, state } = await this.options.verify.check(scope, verificationId, code);
      return { verified, isOver: state !== 'pending' };
    } catch (error) {
      if (!(error instanceof HatifError)) throw error;
      // Too few digits do not count as an attempt; after any other error no further code is accepted.
      return { verified: false, isOver: error.code !== 'VERIFY_INVALID_CODE' };
    }
  }
}
