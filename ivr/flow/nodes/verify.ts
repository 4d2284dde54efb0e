import type { FlowNodeOf } from '../../../core/model/flow/definition.js';
import { VERIFY_DEFAULTS } from '../../../core/model/flow/nodes/input.js';
import { ASKING_DEFAULTS, promptsOf } from '../../../core/model/flow/parts.js';
import { parseNumber } from '../../../core/model/phone-numbers.js';
import type { NotSent } from '../actions.js';
import { expectOutcome, type NodeBehaviour, type NodeContext, type Step } from '../node.js';

type Verifying = FlowNodeOf<'verify'>;

/** Sends a code, and asks the caller for it. */
export const verify: NodeBehaviour<'verify'> = {
  enter(node, ctx) {
    if (ctx.notes !== null) return ask(node, ctx);
    const { callerNumber } = ctx.facts;
    const to = node.to === undefined ? callerNumber : ctx.text(node.to);
    const isOnLine = to !== '' && e164(to) === e164(callerNumber);
    // Telling it in this very call would prove no more than the caller's number does.
    if (isOnLine && node.channel === 'voice') return failed(node, ctx, 'own_line');
    return {
      act: {
        type: 'send_code',
        to,
        channel: node.channel ?? null,
        language: node.language ?? ctx.language,
        length: node.code_length ?? VERIFY_DEFAULTS.code_length,
        isOnLine,
      },
    };
  },
  resume(node, outcome, ctx) {
    switch (outcome.type) {
      case 'not_sent':
        return failed(node, ctx, outcome.why);
      case 'verifying':
        ctx.note({ verificationId: outcome.verificationId, tries: 0 });
        return ask(node, ctx);
      case 'answered': {
        if (outcome.by === 'silence') return again(node, ctx, 'no_input');
        const verificationId = String(ctx.notes?.verificationId ?? '');
        return { act: { type: 'check_code', verificationId, code: outcome.digits } };
      }
      default: {
        const { verified, isOver } = expectOutcome(outcome, 'checked');
        if (!verified) return isOver ? failed(node, ctx, 'wrong') : again(node, ctx, 'wrong');
        ctx.set(STATUS, 'verified');
        return { go: node.next };
      }
    }
  },
};

const STATUS = 'verify_status';

function failed(node: Verifying, ctx: NodeContext, why: NotSent | 'wrong' | 'no_input'): Step {
  ctx.set(STATUS, why);
  return { go: node.failed };
}

function e164(number: string): string {
  return parseNumber(number, { allowForeign: true })?.e164 ?? number;
}

const DEFAULT_PROMPT = {
  ar: 'فضلًا أدخل رمز التحقق المرسل إليك.',
  en: 'Please enter the verification code that we sent you.',
} as const;

function ask(node: Verifying, ctx: NodeContext): Step {
  const language = node.language ?? ctx.language;
  const given = promptsOf(node.prompt);
  return {
    act: {
      type: 'ask',
      prompt: ctx.spoken(given.length > 0 ? given : [{ text: DEFAULT_PROMPT[language], language }]),
      maxDigits: node.code_length ?? VERIFY_DEFAULTS.code_length,
      terminator: '#',
      firstDigitMs: (node.timeout_seconds ?? VERIFY_DEFAULTS.timeout_seconds) * 1000,
      nextDigitMs: ASKING_DEFAULTS.digit_timeout_seconds * 1000,
    },
  };
}

function again(node: Verifying, ctx: NodeContext, why: 'wrong' | 'no_input'): Step {
  const tries = Number(ctx.notes?.tries ?? 0) + 1;
  if (tries >= (node.tries ?? VERIFY_DEFAULTS.tries)) return failed(node, ctx, why);
  ctx.note({ ...ctx.notes, tries });
  return ask(node, ctx);
}
