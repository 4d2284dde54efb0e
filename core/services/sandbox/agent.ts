import type { ProgramFactory, ProgramSpec } from '../call-state/program.js';

/** Connects a sandbox call with a simulated agent. */
export const SANDBOX_AGENT: ProgramSpec = {
  type: 'connect',
  to: { type: 'sip', target: 'sip:agent@sandbox.invalid' },
};

/** The programs of sandbox calls. In queues a simulated agent answers: the real ones stay free for real callers. */
export function sandboxPrograms(programs: ProgramFactory): ProgramFactory {
  return (saved) => programs(saved.spec.type === 'queue' ? { ...saved, spec: SANDBOX_AGENT } : saved);
}
