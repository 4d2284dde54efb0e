import { h } from '../../shared/dom.js';

export interface SessionNoteOptions {
  /** Shown while the connection is interrupted. */
  readonly offline: string;
  /** Shown once the session is over, with a button to sign in again. */
  readonly over: string;
  readonly signIn: string;
  readonly onSignIn: () => void;
}

/** What a part of the page reports to the person: an error, an interruption, the end of the session. */
export class SessionNote {
  readonly element = h('p', { class: 'bad', role: 'alert' });

  constructor(private readonly options: SessionNoteOptions) {}

  show(text: string): void {
    this.element.textContent = text;
  }

  /** Shows or removes the interruption. Another text stays when the connection is back. */
  online(isOnline: boolean): void {
    const { offline } = this.options;
    if (!isOnline) this.show(offline);
    else if (this.element.textContent === offline) this.show('');
  }

  over(): void {
    const { over, signIn, onSignIn } = this.options;
    this.show(over);
    this.element.after(h('button', { type: 'button', class: 'main', onclick: onSignIn }, signIn));
  }
}
