import type { Device, PreflightStep } from '../../packages/web/src/index.js';
import { h } from '../shared/dom.js';
import { button, field, openDialog, reasonOf } from './common/parts.js';
import { say, type TextName } from './common/texts.js';

/** Chooses microphone and loudspeakers, and tests them. */
export function devicesDialog(device: Device): void {
  const { audio } = device;
  const error = h('p', { class: 'bad', role: 'alert' });
  const fail = (reason: unknown): void => {
    error.textContent = reasonOf(reason);
  };
  const choices = h('div', {});
  const noise = h('input', { id: 'noise', type: 'checkbox' });
  noise.checked = audio.noiseSuppression;
  noise.addEventListener('change', () => void audio.setNoiseSuppression(noise.checked).catch(fail));
  const draw = (): void => {
    const focused = document.activeElement?.id;
    choices.replaceChildren(
      chooser('microphone', audio.inputs, audio.input, (id) => void audio.setInput(id).catch(fail)),
      ...(audio.canChooseOutput
        ? [
            chooser('speaker', audio.outputs, audio.output, (id) => void audio.setOutput(id).catch(fail)),
            chooser(
              'ringer',
              audio.outputs,
              audio.ringtoneOutput,
              (id) => void audio.setRingtoneOutput(id).catch(fail),
            ),
          ]
        : []),
    );
    if (focused !== undefined && focused !== '') document.getElementById(focused)?.focus();
  };
  const off = audio.on('changed', draw);
  const report = h('ul', { class: 'report', 'aria-live': 'polite' });
  const test = button('test', () => {
    report.replaceChildren(h('li', {}, say('testing')));
    test.disabled = true;
    const steps: Node[] = [];
    const onStep = (step: PreflightStep): void => {
      steps.push(stepOf(step));
      report.replaceChildren(...steps);
    };
    void device
      .runPreflight({ onStep })
      .then(({ ok }) => {
        if (ok) report.append(h('li', {}, say('test_ok')));
      }, fail)
      .finally(() => (test.disabled = false));
  });
  const check = h('div', { class: 'check' }, noise, h('label', { for: 'noise' }, say('noise')));
  draw();
  const dialog = openDialog('devices', choices, check, h('div', { class: 'actions' }, test), report, error);
  dialog.addEventListener('close', off);
}

function chooser(
  name: 'microphone' | 'speaker' | 'ringer',
  devices: readonly { readonly id: string; readonly label: string }[],
  chosen: string,
  onChoose: (id: string) => void,
): HTMLElement {
  const select = h('select', { id: name });
  const named = devices.filter(({ id }) => id !== 'default' && id !== '');
  const shown = [
    { id: 'default', label: say('system_default') },
    ...named.map(({ id, label }, at) => ({ id, label: label || say('device_number', { number: at + 1 }) })),
  ];
  select.append(...shown.map(({ id, label }) => h('option', { value: id, selected: id === chosen }, label)));
  select.addEventListener('change', () => onChoose(select.value));
  return field(name, select);
}

function stepOf({ name, result, detail, error }: PreflightStep): HTMLElement {
  const more = error === null ? (detail ?? '') : reasonOf(error);
  const what = `${say(`step_${name}` satisfies TextName)}: ${say(result)}`;
  return h('li', { class: result }, what, ...(result === 'skipped' || more === '' ? [] : [' ', h('bdi', {}, more)]));
}
