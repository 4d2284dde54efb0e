type Child = Node | string;

/** Creates an element with attributes, listeners (`onclick`) and children; nothing is parsed as HTML. */
export function h<T extends keyof HTMLElementTagNameMap>(
  tag: T,
  attributes: Readonly<Record<string, string | boolean | EventListener>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[T] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (typeof value === 'string') element.setAttribute(name, value);
    else element.toggleAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** A telephone icon, hidden from assistive technology because it only decorates the label. */
export function receiver(): SVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(space, 'path');
  path.setAttribute(
    'd',
    'M6.6 10.8a15 15 0 0 0 6.6 6.6l2.2-2.2a1 1 0 0 1 1-.25 11 11 0 0 0 3.6.57 1 1 0 0 1 1 1V20a1 1 0 0 1-1 1A17 17 0 0 1 3 4a1 1 0 0 1 1-1h3.5a1 1 0 0 1 1 1 11 11 0 0 0 .57 3.6 1 1 0 0 1-.25 1z',
  );
  svg.append(path);
  return svg;
}
