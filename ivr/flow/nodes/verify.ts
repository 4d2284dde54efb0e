import type { FlowNodeOf } from '../../../core/model/flow/node-types.js';
import { VERIFY_DEFAULTS } from '../../../core/model/flow/nodes/verify.js';
import { promptsOf } from '../../../core/model/flow/parts/fields.js';
import { QUESTION_DEFAULTS } from '../../../core/model/flow/parts/question.js';
import { newId } from '../../../core/model/ids.js';
import { parseNumber } from '../../../core/model/phone-numbers.js';
import type { FlowCode, SentFlowCode } from '../../../core/services/callflows/verification.js';
import type { FlowAction } from '../action.js';
import type { FlowCall } from '../flow-call.js';
import { act, type NodeBehaviour, type NodeContext, type Step } from '../node.js';
import { AskAction } from '../shared/ask-action.js';
import type { SimulatedCall } from '../simulated-call.js';
import { BackgroundTask } from '../tasks/background-task.js';

type VerifyNode = FlowNodeOf<'verify'>;

/** Sends a code, then asks the caller for it. After a restart it asks again for the code that was sent. */
export const verify: NodeBehaviour<'verify'> = (node, ctx) => {
  if (ctx.notes !== null) return ask(node, ctx);
  const { callerNumber } = ctx.facts;
  const to = node.to === undefined ? callerNumber : ctx.fill(node.to);
  const isOnLine = to !== '' && e164(to) === e164(callerNumber);
  // A code that is spoken in this very call proves no more than the caller's number does.
  if (isOnLine && node.channel === 'voice') return fail(node, ctx, 'own_line');
  const code: FlowCode = {
    to,
    channel: node.channel ?? null,
    language: node.language ?? ctx.language,
    length: node.code_length ?? VERIFY_DEFAULTS.code_length,
    isOnLine,
  };
  return act(new SendCodeAction(code), (sent) => {
    if ('refused' in sent) return fail(node, ctx, sent.refused);
    ctx.note({ verificationId: sent.verificationId, tries: 0 });
    return ask(node, ctx);
  });
};

type Failure = 'own_line' | 'not_sent' | 'wrong' | 'no_input';

function fail(node: VerifyNode, ctx: NodeContext, why: Failure): Step {
  ctx.set('verify_status', why);
  return { go: node.failed };
}

function e164(number: string): string {
  return parseNumber(number, { allowForeign: true })?.e164 ?? number;
}

const DEFAULT_PROMPT = {
  ar: 'فضلًا أدخل رمز التحقق المرسل إليك.',
  en: 'Please enter the verification code that we sent you.',
} as const;

function ask(node: VerifyNode, ctx: NodeContext): Step {
  const language = node.language ?? ctx.language;
  const given = promptsOf(node.prompt);
  const prompts = ctx.render(given.length > 0 ? given : [{ text: DEFAULT_PROMPT[language], language }]);
  const question = {
    maxDigits: node.code_length ?? VERIFY_DEFAULTS.code_length,
    terminator: '#',
    firstDigitMs: (node.timeout_seconds ?? VERIFY_DEFAULTS.timeout_seconds) * 1000,
    nextDigitMs: QUESTION_DEFAULTS.digit_timeout_seconds * 1000,
  } as const;
  return act(new AskAction(prompts, question), ({ digits, by }) =>
    by === 'silence' ? retry(node, ctx, 'no_input') : check(node, ctx, digits),
  );
}

function check(node: VerifyNode, ctx: NodeContext, code: string): Step {
  const verificationId = String(ctx.notes?.verificationId ?? '');
  return act(new CheckCodeAction(verificationId, code), ({ verified, isOver }) => {
    if (!verified) return isOver ? fail(node, ctx, 'wrong') : retry(node, ctx, 'wrong');
    ctx.set('verify_status', 'verified');
    return { go: node.next };
  });
}

function retry(node: VerifyNode, ctx: NodeContext, why: 'wrong' | 'no_input'): Step {
  const tries = Number(ctx.notes?.tries ?? 0) + 1;
  if (tries >= (node.tries ?? VERIFY_DEFAULTS.tries)) return fail(node, ctx, why);
  ctx.note({ ...ctx.notes, tries });
  return ask(node, ctx);
}

const NOT_SENT: SentFlowCode = { refused: 'not_sent' };

class SendCodeAction implements FlowAction<SentFlowCode> {
  constructor(private readonly code: FlowCode) {}

  perform(flow: FlowCall): Promise<SentFlowCode | null> {
    const { call, deps, place } = flow;
    if (!place) return Promise.resolve(NOT_SENT);
    const { parties } = call.flow;
    return flow.run(new BackgroundTask(() => deps.verification.send(parties, place, this.code), NOT_SENT));
  }

  simulate(call: SimulatedCall): SentFlowCode {
    const scripted = call.next('verifications');
    if (!scripted) call.assumeFailure('verifications');
    if (scripted === undefined || scripted.sent === false) return NOT_SENT;
    const verificationId = newId();
    if (scripted.code !== undefined) call.memory.set(verificationId, scripted.code);
    return { verificationId };
  }
}

/** `isOver`: no further attempt is accepted for this code. */
interface CheckedCode {
  readonly verified: boolean;
  readonly isOver: boolean;
}

class CheckCodeAction implements FlowAction<CheckedCode> {
  constructor(
    private readonly verificationId: string,
    private readonly code: string,
  ) {}

  perform(flow: FlowCall): Promise<CheckedCode | null> {
    const { parties } = flow.call.flow;
    const work = (): Promise<CheckedCode> => flow.deps.verification.check(parties, this.verificationId, this.code);
    return flow.run(new BackgroundTask(work, { verified: false, isOver: true }));
  }

  simulate(call: SimulatedCall): CheckedCode {
    return { verified: call.memory.get(this.verificationId) === this.code, isOver: false };
  }
}
