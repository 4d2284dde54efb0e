/** The styles of the chat, beside those of the widget. @param position that of the buttons */
export function chatStyleOf(position: string): string {
  const side = position === 'start' ? 'inset-inline-start' : 'inset-inline-end';
  return `
.chat{position:fixed;inset:auto;${side}:var(--hatif-offset,20px);bottom:calc(var(--hatif-offset,20px) + 60px);z-index:var(--hatif-z,2147483000);margin:0;max-height:min(36rem,calc(100vh - 100px));overflow:auto}
.log{max-height:16rem;overflow:auto}
.list{list-style:none;margin:.5rem 0;padding:0;display:flex;flex-direction:column;gap:.5rem}
.list li{max-width:85%;padding:.4em .8em;border:1px solid var(--_line);border-radius:12px;white-space:pre-wrap;overflow-wrap:anywhere;align-self:start}
.list span{display:block}
.list .visitor{align-self:end;border-color:var(--_accent);border-width:2px}
.waiting li{opacity:.75;border-style:dashed}
.who{font-weight:600}
textarea{width:100%;min-height:44px;padding:.4em .7em;border:1px solid var(--_line);border-radius:8px;background:transparent;color:inherit;font-size:1rem;resize:vertical;display:block}
.proposal{border:2px solid var(--_accent);border-radius:12px;padding:.4em .8em;margin:.5rem 0}
footer{display:flex;justify-content:space-between;gap:.5rem;flex-wrap:wrap}`;
}
