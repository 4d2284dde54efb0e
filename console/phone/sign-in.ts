import { h } from '../shared/dom.js';
import { Refused, type Api } from './common/api.js';
import { field, reasonOf } from './common/parts.js';
import { say } from './common/texts.js';

/** The form that signs a person in. @param onDone called when the person is signed in */
export function signInForm(api: Api, onDone: () => void): HTMLElement {
  const email = h('input', { id: 'email', type: 'email', autocomplete: 'username', required: true, dir: 'ltr' });
  const password = h('input', {
    id: 'password',
    type: 'password',
    autocomplete: 'current-password',
    required: true,
    dir: 'ltr',
  });
  const totp = h('input', { id: 'totp', autocomplete: 'one-time-code', dir: 'ltr' });
  const second = field('totp', totp);
  second.hidden = true;
  const error = h('p', { class: 'bad', role: 'alert' });
  const submit = h('button', { type: 'submit', class: 'main' }, say('sign_in'));
  const tryOnce = async (): Promise<void> => {
    submit.disabled = true;
    error.textContent = '';
    try {
      const code = totp.value.trim();
      await api.signIn({
        email: email.value.trim(),
        password: password.value,
        ...(code === '' ? {} : { totp: code }),
      });
      onDone();
    } catch (reason) {
      const needsCode = reason instanceof Refused && reason.fields.includes('totp');
      second.hidden = !needsCode && second.hidden;
      error.textContent = needsCode && totp.value === '' ? say('totp') : reasonOf(reason);
      (needsCode ? totp : password).focus();
    } finally {
      submit.disabled = false;
    }
  };
  const form = h(
    'form',
    {
      class: 'card sign-in',
      onsubmit: (event) => {
        event.preventDefault();
        void tryOnce();
      },
    },
    h('h1', {}, say('sign_in')),
    field('email', email),
    field('password', password),
    second,
    error,
    submit,
  );
  queueMicrotask(() => email.focus());
  return form;
}
