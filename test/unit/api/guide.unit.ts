import { expect } from 'chai';
import { addressOf, buildGuide } from '../../../api/pages/guide/guide.js';
import { parseDocument, renderDocument } from '../../../api/pages/guide/markdown.js';

const render = (markdown: string): string => renderDocument(parseDocument(markdown), (href) => href).trim();

describe('a page of the guide', () => {
  it('has the address of its document', () => {
    expect(addressOf('docs/README.md')).to.equal('/docs/guide');
    expect(addressOf('docs/reference/calls.md')).to.equal('/docs/guide/reference/calls');
    expect(addressOf('docs/adr/README.md')).to.equal('/docs/guide/adr');
    expect(addressOf('README.md')).to.equal('/docs/guide/readme');
    expect(addressOf('README.ar.md')).to.equal('/docs/guide/readme.ar');
    expect(addressOf('CHANGELOG.md')).to.equal('/docs/guide/changelog');
  });

  it('shows raw HTML as text, and drops comments and the direction of GitHub’s pages', () => {
    expect(render('<script>alert(1)</script>')).to.equal('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(render('a <img src=x onerror=y> b')).to.equal('<p>a &lt;img src=x onerror=y&gt; b</p>');
    expect(render('<!-- tour: crash -->\n\na')).to.equal('<p>a</p>');
    expect(render('<div dir="rtl">\n\na\n\n</div>')).to.equal('<p>a</p>');
    expect(render('```html\n<b>\n```')).to.include('<code>&lt;b&gt;</code>');
  });

  it('gives headings the same anchors as GitHub', () => {
    const { sections } = parseDocument('# A `code` & more\n## Two: words!\n## Two words\n## رسالة جديدة\n## a_b-c');
    expect(sections.map(({ anchor }) => anchor)).to.deep.equal([
      'a-code--more',
      'two-words',
      'two-words-1',
      'رسالة-جديدة',
      'a_b-c',
    ]);
  });

  it('links to other pages and plain files, and to nothing else', () => {
    const { pages } = buildGuide([
      { path: 'README.md', text: '# A\n[b](docs/b.md#c) [s](.env.example) [t](test/x.ts) [w](https://example.com/)' },
      { path: 'docs/b.md', text: '# B\n## C\n[a](../README.md)' },
      { path: '.env.example', text: 'A=' },
    ]);
    expect(pages['/docs/guide/readme'])
      .to.include('<a href="/docs/guide/b#c">b</a> <a href="/docs/guide/files/.env.example">s</a> t <a')
      .and.include('href="https://example.com/"');
    expect(pages['/docs/guide/b']).to.include('<a href="/docs/guide/readme">a</a>');
  });

  it('is laid out from right to left if it is Arabic', () => {
    const { pages } = buildGuide([{ path: 'README.ar.md', text: '# هاتف\n\nمنصة اتصالات تعمل على خوادمك.' }]);
    expect(pages['/docs/guide/readme.ar']).to.include('<html lang="ar" dir="rtl">');
  });
});
