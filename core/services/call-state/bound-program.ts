import type { NumberRow } from '../../data/rows.js';
import type { ProgramSpec } from './program.js';

/** Finds the active version of a call flow. */
export interface ActiveFlows {
  activeFlow(callflowId: string): Promise<{ readonly version: number } | null>;
}

/** Returns the program for calls to a number with this binding, or null if nothing answers it. */
export async function boundProgram(binding: NumberRow['binding'], directory: ActiveFlows): Promise<ProgramSpec | null> {
  if (binding?.type !== 'callflow' || binding.target === null) return programOf(binding);
  const active = await directory.activeFlow(binding.target);
  return active && { type: 'callflow', callflowId: binding.target, version: active.version };
}

/** Returns the program of a binding that needs no lookup, or null for any other binding. */
export function programOf(binding: NumberRow['binding']): ProgramSpec | null {
  if (binding === null) return null;
  if (binding.type === 'echo') return { type: 'echo' };
  if (binding.type === 'queue' && binding.target !== null) return { type: 'queue', queueId: binding.target };
  if ((binding.type === 'agent' || binding.type === 'number' || binding.type === 'sip') && binding.target !== null) {
    return { type: 'connect', to: { type: binding.type, target: binding.target } };
  }
  return null;
}
