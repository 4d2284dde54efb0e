import type { Call } from '../../packages/web/src/index.js';
import { h } from '../shared/dom.js';
import type { Calls } from './calls.js';
import { button, field, openDialog, reasonOf } from './common/parts.js';
import { say } from './common/texts.js';

/** Moves a call to a conference, which other calls join by the same name. */
export function conferenceDialog(call: Call, calls: Calls, announce: (text: string) => void): void {
  const name = h('input', { id: 'conference', required: true, maxlength: '64', autocomplete: 'off' });
  const error = h('p', { class: 'bad', role: 'alert' });
  const join = async (): Promise<void> => {
    const callId = await calls.nameOf(call);
    if (callId === null) throw new Error('the call is not listed');
    await calls.conference(callId, name.value.trim());
    announce(say('joined', { name: name.value.trim() }));
    dialog.close();
  };
  const submit = (): void => {
    if (name.value.trim() === '') name.focus();
    else join().catch((reason: unknown) => (error.textContent = reasonOf(reason)));
  };
  const actions = h('div', { class: 'actions' }, button('join', submit, 'main'));
  const dialog = openDialog('conference', field('conference_name', name, 'conference_hint'), error, actions);
  call.once('disconnected', () => dialog.close());
  name.focus();
}
