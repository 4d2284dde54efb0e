import { h } from '../../shared/dom.js';
import { isSignedIn, type AgentQueues } from './queue-requests.js';
import { say } from './queue-texts.js';

const SECOND_MS = 1_000;

/** Whether callers are offered to the agent, and why not. Counts the time after a call down. */
export class StateLine {
  readonly element = h('p', { class: 'soft' });
  #timer: ReturnType<typeof setInterval> | undefined;

  draw(now: AgentQueues): void {
    this.stop();
    if (now.state !== 'wrap_up' || now.pause !== null || now.wrap_up_until === null) {
      this.element.textContent = textOf(now);
      return;
    }
    // The clocks of the platform and of this machine may differ.
    const endsAtMs = performance.now() + Date.parse(now.wrap_up_until) - Date.parse(now.at);
    const count = (): void => {
      const seconds = Math.max(0, Math.ceil((endsAtMs - performance.now()) / SECOND_MS));
      this.element.textContent = say('wrap_up', { seconds });
    };
    count();
    this.#timer = setInterval(count, SECOND_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

function textOf({ state, pause, queues }: AgentQueues): string {
  if (pause !== null) return pause.reason === null ? say('paused') : say('paused_for', { reason: pause.reason });
  if (!queues.some(isSignedIn)) return say('out');
  return say(state === null || state === 'wrap_up' ? 'busy' : state);
}
