import type { FlowNodeOf } from '../../../core/model/flow/definition.js';
import { VERIFY_DEFAULTS } from '../../../core/model/flow/nodes/input.js';
import { ASKING_DEFAULTS, promptsOf } from '../../../core/model/flow/parts.js';
import { expectOutcome, type NodeBehaviour, type NodeContext, type Step } from '../node.js';

/** Sends a code, and asks the caller for it. */
export const verify: NodeBehaviour<'verify'> = {
  enter(node, ctx) {
    if (ctx.notes !== null) return ask(node, ctx);
    return {
      act: {
        type: 'send_code',
        to: node.to === undefined ? ctx.facts.callerNumber : ctx.text(node.to),
        channel: node.channel ?? null,
        language: node.language ?? ctx.language,
        length: node.code_length ?? VERIFY_DEFAULTS.code_length,
      },
    };
  },
  resume(node, outcome, ctx) {
    const verificationId = String(ctx.notes?.verificationId ?? '');
    switch (outcome.type) {
      case 'verifying':
        if (outcome.verificationId === null) return { go: node.failed };
        ctx.note({ verificationId: outcome.verificationId, tries: 0 });
        return ask(node, ctx);
      case 'answered':
        if (outcome.by === 'silence') return again(node, ctx);
        return { act: { type: 'check_code', verificationId, code: outcome.digits } };
      default: {
        const { verified, isOver } = expectOutcome(outcome, 'checked');
        if (verified) return { go: node.next };
        return isOver ? { go: node.failed } : again(node, ctx);
      }
    }
  },
};

const DEFAULT_PROMPT = {
  ar: 'أدخل رمز التحقق الذي أرسلناه إليك.',
  en: 'Please enter the verification code that we sent you.',
} as const;

function ask(node: FlowNodeOf<'verify'>, ctx: NodeContext): Step {
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

function again(node: FlowNodeOf<'verify'>, ctx: NodeContext): Step {
  const tries = Number(ctx.notes?.tries ?? 0) + 1;
  if (tries >= (node.tries ?? VERIFY_DEFAULTS.tries)) return { go: node.failed };
  ctx.note({ ...ctx.notes, tries });
  return ask(node, ctx);
}
