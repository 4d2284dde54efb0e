/** What every page loads. */

export const STYLE = `
:root {
  color-scheme: light dark;
  --ink: #1b2430; --soft: #566273; --line: #e2e7ee; --ground: #f7f9fb; --card: #fff; --accent: #0b6b5d; --accent-soft: #e3f3f0;
  --code: #eef2f6; --head: #f1f4f8; --edge: #8592a3; --note: #fdf6e7; --console: #16202c;
  --warn: #7a4f00; --warn-soft: #fdf1dc; --bad: #a3271b; --bad-soft: #fbe5e3;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace;
  --sans: system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Naskh Arabic', 'Noto Sans Arabic', Tahoma, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e4e9ef; --soft: #a7b3c1; --line: #2c3744; --ground: #12181f; --card: #1a222c; --accent: #5fd0bd; --accent-soft: #143a35;
    --code: #263140; --head: #212b37; --edge: #66758a; --note: #33290f; --console: #0b1016;
    --warn: #f2c879; --warn-soft: #3a2c0c; --bad: #f5a79f; --bad-soft: #421a16;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.6 var(--sans); }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 3px; }
code { font: 0.9em/1.4 var(--mono); background: var(--code); border-radius: 4px; padding: 0.1em 0.35em; overflow-wrap: anywhere; }
:is(.page, details, .card) > pre { font: 0.875rem/1.55 var(--mono); background: var(--console); color: #e6edf3; border-radius: 8px; padding: 1rem 1.25rem; overflow-x: auto; direction: ltr; text-align: left; }
:is(.page, details, .card) > pre code { background: none; padding: 0; font-size: inherit; }
.bar { display: flex; flex-wrap: wrap; gap: 0.5rem 2rem; align-items: center; padding: 0.75rem max(1.25rem, calc((100vw - 1080px) / 2 + 1.25rem)); background: var(--card); border-bottom: 1px solid var(--line); }
.bar .name { display: inline-flex; align-items: center; gap: 0.5rem; font-weight: 700; font-size: 1.15rem; color: var(--ink); text-decoration: none; }
.bar nav { display: flex; flex-wrap: wrap; gap: 0.35rem 1.25rem; }
.bar nav a { color: var(--soft); text-decoration: none; padding: 0.2rem 0; border-bottom: 2px solid transparent; }
.bar nav a:hover { color: var(--ink); }
.bar nav a[aria-current] { color: var(--accent); border-color: var(--accent); font-weight: 600; }
.page { max-width: 1080px; margin: 0 auto; padding: 1.75rem 1.25rem 4rem; }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 0.5rem; overflow-wrap: anywhere; }
h1 [lang='ar'] { display: inline-block; }
h2 { font-size: 1.2rem; margin: 2rem 0 0.5rem; }
.lead { color: var(--soft); margin: 0 0 1rem; max-width: 48rem; }
.lead[dir='rtl'] { margin: 0 0 1.5rem auto; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 1rem; margin: 1.25rem 0; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1.1rem 1.35rem; }
.card h2 { margin: 0 0 0.4rem; font-size: 1rem; color: var(--soft); font-weight: 600; }
.card p { margin: 0 0 1rem; }
.card p:last-child { margin-bottom: 0; }
[lang='ar'] { font-size: 1.06em; line-height: 1.8; }
.bar [lang='ar'] { font-size: 0.95em; line-height: 1; color: var(--soft); font-weight: 400; }
.status { display: inline-block; font: 600 0.85rem/1 var(--mono); padding: 0.35em 0.55em; border-radius: 6px; background: var(--code); color: var(--soft); vertical-align: middle; }
.status.s4 { background: var(--warn-soft); color: var(--warn); }
.status.s5 { background: var(--bad-soft); color: var(--bad); }
.list { border-collapse: collapse; width: 100%; background: var(--card); border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }
.list th, .list td { text-align: start; vertical-align: top; padding: 0.6rem 0.9rem; border-top: 1px solid var(--line); }
.list thead th { border-top: 0; color: var(--soft); font-size: 0.85rem; font-weight: 600; background: var(--head); }
.list td.code { white-space: nowrap; }
.list td.code a { font: 0.85rem/1.6 var(--mono); text-decoration: none; }
.list td.code a:hover { text-decoration: underline; text-underline-offset: 5px; }
.list time { white-space: nowrap; font-variant-numeric: tabular-nums; color: var(--soft); }
.tag { display: inline-block; font-size: 0.75rem; line-height: 1; padding: 0.35em 0.6em; border-radius: 99px; background: var(--accent-soft); color: var(--accent); white-space: nowrap; }
.routes { list-style: none; margin: 0; }
.routes li { padding: 0.35rem 0; }
.method { display: inline-block; min-width: 4.2rem; font: 700 0.8rem/1 var(--mono); color: var(--accent); }
.families a { text-underline-offset: 5px; }
.families { display: flex; flex-wrap: wrap; gap: 0.3rem 1rem; font: 0.9rem/1.8 var(--mono); }
.card + .card { margin-top: 0.75rem; }
.card h3 { margin: 0 0 0.4rem; font-size: 1rem; }
.card h3 a { text-decoration: none; }
.words { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 0.2rem 2rem; }
.words p { margin: 0; }
.rights { display: flex; flex-wrap: wrap; gap: 0.2rem 1.5rem; color: var(--soft); font-size: 0.9rem; }
.card .rights { margin: 0.4rem 0 0; }
.card details { margin-top: 0.5rem; }
summary { cursor: pointer; }
details > .scroll { overflow-x: auto; margin-top: 0.5rem; }
details > .scroll .list { font-size: 0.9rem; }
.pair > .card { margin: 0; }
@media (max-width: 640px) {
  .list thead { display: none; }
  .list, .list tbody, .list tr, .list td { display: block; }
  .list td { border: 0; padding: 0.2rem 0.9rem; }
  .list tr { border-top: 1px solid var(--line); padding: 0.6rem 0; }
}
`;

export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0b6b5d"/><path d="M10.6 7.5c-1.6.7-2.6 2.2-2.4 4.2.7 6.400 5.700 11.400 12.100 12.100 2 .2 3.500-.8 4.200-2.400.2-.6 0-1.100-.5-1.500l-3.300-2.200c-.5-.3-1-.3-1.500.1l-1.500 1.300c-2.200-1-4-2.800-5-5l1.300-1.500c.4-.5.4-1 .1-1.500L11.900 8c-.300-.5-.8-.7-1.300-.5z" fill="#fff"/></svg>`;
