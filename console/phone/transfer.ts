import type { Call } from '../../packages/web/src/index.js';
import { h } from '../shared/dom.js';
import type { Calls } from './calls.js';
import { button, field, openDialog, reasonOf } from './common/parts.js';
import { SearchInput } from './search.js';
import { say } from './common/texts.js';

const LOOK_MS = 1_000;

/** Transfers a call: at once by the telephone itself, or by the API after both have spoken. */
export function transferDialog(call: Call, calls: Calls | null, announce: (text: string) => void): void {
  const target = new SearchInput(calls === null ? null : (text) => calls.search(text));
  const state = h('p', { role: 'status' });
  const error = h('p', { class: 'bad', role: 'alert' });
  const choose = h('div', { class: 'actions' });
  const decide = h('div', { class: 'actions', hidden: true });
  const fail = (reason: unknown): void => {
    error.textContent = reasonOf(reason);
    state.textContent = '';
    choose.hidden = false;
    decide.hidden = true;
  };
  const begin = (work: (to: string) => Promise<void>): void => {
    const to = target.value;
    if (to === '') {
      target.input.focus();
      return;
    }
    error.textContent = '';
    choose.hidden = true;
    state.textContent = say('transferring');
    work(to).catch(fail);
  };
  const done = (): void => {
    announce(say('transferred'));
    dialog.close();
  };
  choose.append(button('transfer_now', () => begin((to) => call.transfer(to).then(done)), 'main'));
  if (calls !== null) choose.append(button('ask_first', () => begin((to) => consult(calls, to))));
  const consult = async (calls: Calls, to: string): Promise<void> => {
    const callId = await calls.nameOf(call);
    if (callId === null) throw new Error('the call is not listed');
    const { transfer_id: id } = await calls.consult(callId, to);
    decide.replaceChildren(
      button('complete', () => void calls.finish(callId, id, 'complete').then(done, fail), 'main'),
      button('cancel', () => void calls.finish(callId, id, 'cancel').then(() => dialog.close(), fail)),
    );
    decide.hidden = false;
    await follow(calls, callId, id);
  };
  const follow = async (calls: Calls, callId: string, id: string): Promise<void> => {
    for (;;) {
      const status = (await calls.transfer(callId, id))?.status;
      if (status === 'consulting') state.textContent = say('consulting');
      if (status === 'completed') {
        done();
        return;
      }
      if (status === undefined || status === 'failed' || status === 'cancelled' || !dialog.isConnected) {
        if (status === 'failed') fail(null);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  };
  const dialog = openDialog(
    'transfer',
    field('transfer_to', target.input, 'transfer_hint'),
    target.element,
    state,
    error,
    choose,
    decide,
  );
  call.once('disconnected', () => dialog.close());
  target.input.focus();
}
