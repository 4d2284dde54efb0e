/** Returns black or white, whichever has more contrast on the colour (WCAG 2.2, relative luminance). */
export function inkOn(hex: string): string {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? '#fff' : '#000';
}

const DARK = '--_surface:#1b2430;--_ink:#eef2f6;--_soft:#b3bdca;--_line:#8794a5;--_bad:#ffb4a9;color-scheme:dark';
const LIGHT = '--_surface:#fff;--_ink:#1b2430;--_soft:#55606f;--_line:#78828f;--_bad:#a3271b;color-scheme:light';

/** Returns the whole style sheet; the page can set each `--hatif-…` on the element `hatif-widget`. */
export function styleOf(accent: string, scheme: string, position: string): string {
  const side = position === 'start' ? 'inset-inline-start' : 'inset-inline-end';
  const auto = scheme === 'auto' ? `@media(prefers-color-scheme:dark){:host{${DARK}}}` : '';
  return `
:host{all:initial;${scheme === 'dark' ? DARK : LIGHT}}${auto}
:host{--_accent:var(--hatif-accent,${accent});--_on:var(--hatif-on-accent,${inkOn(accent)});--_s:var(--hatif-surface,var(--_surface));
--_i:var(--hatif-ink,var(--_ink));--_r:var(--hatif-radius,14px);
font:16px/1.5 var(--hatif-font,system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Noto Sans Arabic',Tahoma,sans-serif)}
*{box-sizing:border-box;font:inherit}
[hidden]{display:none!important}
button{cursor:pointer;border:0;border-radius:999px;min-height:44px;padding:.5em 1.2em;color:var(--_on);background:var(--_accent);font-weight:600}
button:disabled{opacity:.6;cursor:default}
:focus-visible{outline:3px solid var(--_i);outline-offset:2px;box-shadow:0 0 0 2px var(--_s)}
.bar{position:fixed;bottom:var(--hatif-offset,20px);${side}:var(--hatif-offset,20px);z-index:var(--hatif-z,2147483000);display:flex;flex-wrap:wrap;gap:.75em;justify-content:end;max-width:calc(100vw - 2*var(--hatif-offset,20px))}
.open{display:flex;gap:.5em;align-items:center;box-shadow:0 4px 16px #0005}
svg{width:1.25em;height:1.25em;fill:currentColor}
dialog{width:min(92vw,23rem);border:0;border-radius:var(--_r);padding:1.25rem;color:var(--_i);background:var(--_s);box-shadow:0 12px 48px #0007}
dialog::backdrop{background:#0008}
header{display:flex;justify-content:space-between;align-items:center;gap:1rem}
h2{margin:0;font-size:1.2rem;font-weight:700}
p{margin:.5rem 0}
.soft{color:var(--hatif-soft,var(--_soft))}
.bad{color:var(--_bad);font-weight:600}
.x,.link{background:none;color:var(--_i)}
.x{padding:0;width:44px;font-size:1.5rem;line-height:1}
.link{text-decoration:underline;font-weight:400}
label{display:block;margin:.75rem 0 .25rem;font-weight:600}
input{width:100%;min-height:44px;padding:.4em .7em;border:1px solid var(--_line);border-radius:8px;background:transparent;color:inherit;font-size:1rem}
input[aria-invalid=true]{border-color:var(--_bad)}
.ltr{direction:ltr;text-align:start}
form button,.again,.talk button{width:100%;margin-top:1rem}
.state{font-size:1.1rem;min-height:1.5em;text-align:center;margin:1rem 0 0}
.dot{display:block;width:18px;height:18px;margin:1.25rem auto 0;border-radius:50%;background:var(--_accent)}
@media(prefers-reduced-motion:no-preference){.dot.live{animation:p 1.2s ease-in-out infinite}@keyframes p{50%{transform:scale(1.7);opacity:.4}}}
@media(forced-colors:active){button{border:1px solid}}`;
}
