import { h } from '../shared/dom.js';
import type { Api } from './common/api.js';
import { field, reasonOf } from './common/parts.js';
import { say } from './common/texts.js';

interface Member {
  readonly agent: string;
  readonly queue: string;
  readonly status: 'logged_in' | 'logged_out' | 'paused';
}

/** Whether queues offer calls to the agent. */
export function agentState(api: Api, agent: string, announce: (text: string) => void): HTMLElement {
  const select = h('select', { id: 'agent-state' });
  select.append(h('option', { value: 'available' }, say('available')), h('option', { value: 'paused' }, say('paused')));
  const chosen = field('state', select);
  const note = h('p', { class: 'soft' });
  const show = async (): Promise<void> => {
    const { data } = await api.ask<{ data: Member[] }>('GET', '/queues/members?limit=100');
    const own = data.filter((member) => member.agent === agent && member.status !== 'logged_out');
    chosen.hidden = own.length === 0;
    select.value = own.some(({ status }) => status === 'paused') ? 'paused' : 'available';
    note.textContent = own.length === 0 ? say('no_queue') : [...new Set(own.map(({ queue }) => queue))].join(', ');
  };
  select.addEventListener('change', () => {
    const path = select.value === 'paused' ? '/queues/agents/pause' : '/queues/agents/unpause';
    api
      .ask('POST', path, { agent })
      .then(show)
      .catch((error: unknown) => {
        announce(reasonOf(error));
        return show();
      })
      .catch(() => undefined);
  });
  chosen.hidden = true;
  // A role that sees no queues has no state in them.
  void show().catch(() => undefined);
  return h('div', { class: 'agent-state' }, chosen, note);
}
