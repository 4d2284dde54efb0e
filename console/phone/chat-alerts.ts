import { say } from './chat-texts.js';

const SOUND = 'hatif.chats.sound';
/** Two short tones. */
const TONES = [880, 1_175];
const TONE_SECONDS = 0.15;

/** Draws the agent's attention to chats: by a sound, a notification of the system, and the title of the page. */
export class ChatAlerts {
  readonly #title = document.title;
  #audio: AudioContext | null = null;

  get hasSound(): boolean {
    return localStorage.getItem(SOUND) !== 'off';
  }

  set hasSound(isOn: boolean) {
    localStorage.setItem(SOUND, isOn ? 'on' : 'off');
    if (isOn) this.#play();
  }

  /** Whether the person can still be asked for notifications. */
  get canAsk(): boolean {
    return 'Notification' in globalThis && Notification.permission === 'default';
  }

  async ask(): Promise<void> {
    await Notification.requestPermission();
  }

  /** @param onClick the person wants to see it */
  alert(title: string, text: string, tag: string, onClick: () => void): void {
    if (this.hasSound) this.#play();
    if (!document.hidden || !('Notification' in globalThis) || Notification.permission !== 'granted') return;
    try {
      const shown = new Notification(title, { body: text, tag });
      shown.onclick = () => {
        window.focus();
        shown.close();
        onClick();
      };
    } catch {
      // Browsers of phones notify from service workers only.
    }
  }

  /** @param count of what the agent has not seen */
  count(count: number): void {
    document.title = count === 0 ? this.#title : say('page_title', { count, title: this.#title });
  }

  #play(): void {
    this.#audio ??= new AudioContext();
    const audio = this.#audio;
    // The browser is silent until the person has clicked.
    if (audio.state === 'suspended') void audio.resume().catch(() => undefined);
    for (const [at, hz] of TONES.entries()) {
      const [tone, volume] = [audio.createOscillator(), audio.createGain()];
      tone.frequency.value = hz;
      volume.gain.value = 0.1;
      tone.connect(volume).connect(audio.destination);
      tone.start(audio.currentTime + at * TONE_SECONDS);
      tone.stop(audio.currentTime + (at + 1) * TONE_SECONDS);
    }
  }
}
