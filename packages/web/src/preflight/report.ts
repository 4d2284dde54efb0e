import type { HatifError } from '../errors/error.js';
import type { Target } from '../signalling/target.js';

export interface PreflightOptions {
  /** What plays back what it hears: the number of an echo service. Without it, no call is made. */
  readonly echo?: Target;
  /** Called after each step. */
  readonly onStep?: (step: PreflightStep) => void;
}

/**
 * - `microphone`: it opens
 * - `registration`: the platform is reached by HTTPS and WebSocket, and knows this browser
 * - `turn_udp`, `turn_tcp`, `turn_tls`: a TURN server gives an address by this way; one step for each server
 * - `echo`: a call hears its own tone
 */
export type PreflightStepName = 'microphone' | 'registration' | 'turn_udp' | 'turn_tcp' | 'turn_tls' | 'echo';

export interface PreflightStep {
  readonly name: PreflightStepName;
  readonly result: 'passed' | 'failed' | 'skipped';
  readonly ms: number;
  /** The server or the microphone that was tested; why a step was skipped. */
  readonly detail: string | null;
  readonly error: HatifError | null;
}

export interface PreflightReport {
  /** Whether nothing failed. */
  readonly ok: boolean;
  readonly steps: readonly PreflightStep[];
}
