/** A SIP response to the request (RFC 3261 §8.2.6). @param status such as `486 Busy Here` */
export function replyTo(request: string, status: string, ...headers: string[]): string {
  const kept = request.split('\r\n').filter((line) => /^(Via|From|Call-ID|CSeq):/i.test(line));
  const to = /^To: .*$/im.exec(request)?.[0].trim() ?? '';
  return [`SIP/2.0 ${status}`, ...kept, `${to};tag=carrier`, ...headers, 'Content-Length: 0', '', ''].join('\r\n');
}
