// The URLs, addresses and networks: values, errors and costs as a v1.36 API server computes them.
import { checkTable } from '../../support/cel-table.js';

checkTable('URLs, addresses and networks', [
  ["url('https://user:pw@example.com:80/path%20x/y?a=1&b=2&a=3#frag').getScheme()", { value: 'https' }, 7],
  ["url('https://example.com:80/').getHost()", { value: 'example.com:80' }, 4],
  ["url('https://example.com:80/').getHostname()", { value: 'example.com' }, 4],
  ["url('https://[::1]:80/').getHostname()", { value: '::1' }, 3],
  ["url('https://[::1]:80/').getHost()", { value: '[::1]:80' }, 3],
  ["url('https://example.com:80/').getPort()", { value: '80' }, 4],
  ["url('https://example.com/').getPort()", { value: '' }, 3],
  ["url('https://example.com/with space/%41').getEscapedPath()", { value: '/with%20space/A' }, 5],
  ["url('https://example.com/a?x=1&y=2&x=3&z').getQuery()", { value: { x: ['1', '3'], y: ['2'], z: [''] } }, 5],
  ["url('/abs/path').getScheme()", { value: '' }, 2],
  ["url('/abs/path').getHostname()", { value: '' }, 2],
  ["url('/abs/path').getEscapedPath()", { value: '/abs/path' }, 2],
  ["url('/abs/path').getQuery()", { value: {} }, 2],
  [
    "url('relative')",
    { error: 'URL parse error during conversion from string: parse "relative": invalid URI for request' },
    1,
  ],
  ["url('')", { error: 'URL parse error during conversion from string: parse "": empty url' }, 0],
  [
    "url('https://a b/')",
    {
      error: 'URL parse error during conversion from string: parse "https://a b/": invalid character " " in host name',
    },
    2,
  ],
  [
    "url('http://[::1')",
    { error: 'URL parse error during conversion from string: parse "http://[::1": missing \']\' in host' },
    2,
  ],
  [
    "url('https:// example.com')",
    {
      error:
        'URL parse error during conversion from string: parse "https:// example.com": invalid character " " in host name',
    },
    2,
  ],
  ["isURL('https://example.com')", { value: true }, 1],
  ["isURL('relative')", { value: false }, 1],
  ['isURL(s)', { value: false }, 2],
  [
    'url(s).getHost()',
    { error: 'URL parse error during conversion from string: parse "hello world": invalid URI for request' },
    4,
  ],
  ["url('https://a/b') == url('https://a/b')", { value: true }, 5],
  ["type(url('https://a/b'))", { type: 'kubernetes.URL' }, 3],
  [
    "string(url('https://a/b'))",
    { refused: "ERROR: <input>:1:7: found no matching overload for 'string' applied to '(kubernetes.URL)'" },
    0,
  ],
  ["url('http:opaque/x?a=1').getEscapedPath()", { value: '' }, 3],
  ["url('https://a?x=%zz').getQuery()", { value: {} }, 3],
  ["url('https://a?x=1;y=2').getQuery()", { value: {} }, 3],
  ["url('https://a?x=a+b%20c').getQuery()", { value: { x: ['a b c'] } }, 3],
  ["url('mailto:a@b.c').getHost()", { value: '' }, 3],
  [
    'url(u).getHost().contains(t)',
    { error: 'URL parse error during conversion from string: parse "1.2.3.4": invalid URI for request' },
    5,
  ],
  [
    'url(u).getQuery().all(k, k == t)',
    { error: 'URL parse error during conversion from string: parse "1.2.3.4": invalid URI for request' },
    3,
  ],
  ["ip('192.168.0.1')", { type: 'net.IP' }, 2],
  ["string(ip('192.168.0.1'))", { value: '192.168.0.1' }, 3],
  ["ip('::ffff:1.2.3.4')", { error: 'IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed' }, 2],
  [
    "ip('1.2.3')",
    {
      error: 'IP Address "1.2.3" parse error during conversion from string: ParseAddr("1.2.3"): IPv4 address too short',
    },
    1,
  ],
  ["ip('fe80::1%eth0')", { error: 'IP address "fe80::1%eth0" with zone value is not allowed' }, 2],
  [
    "ip('01.2.3.4')",
    {
      error:
        'IP Address "01.2.3.4" parse error during conversion from string: ParseAddr("01.2.3.4"): IPv4 field has octet with leading zero',
    },
    1,
  ],
  [
    "ip('')",
    { error: 'IP Address "" parse error during conversion from string: ParseAddr(""): unable to parse IP' },
    0,
  ],
  [
    "ip('300.1.1.1')",
    {
      error:
        'IP Address "300.1.1.1" parse error during conversion from string: ParseAddr("300.1.1.1"): IPv4 field has value >255',
    },
    1,
  ],
  [
    "ip('1::2::3')",
    {
      error:
        'IP Address "1::2::3" parse error during conversion from string: ParseAddr("1::2::3"): multiple :: in address (at ":3")',
    },
    1,
  ],
  ["isIP('1.2.3.4')", { value: true }, 1],
  ["isIP('::ffff:1.2.3.4')", { value: false }, 2],
  ["isIP('x')", { value: false }, 1],
  ['isIP(s)', { value: false }, 3],
  ["ip.isCanonical('2001:db8::abcd')", { value: true }, 3],
  ["ip.isCanonical('2001:DB8::ABCD')", { value: false }, 3],
  ["ip.isCanonical('2001:db8:0::abcd')", { value: false }, 4],
  [
    "ip.isCanonical('x')",
    { error: 'IP Address "x" parse error during conversion from string: ParseAddr("x"): unable to parse IP' },
    1,
  ],
  [
    'ip.isCanonical(s)',
    {
      error:
        'IP Address "hello world" parse error during conversion from string: ParseAddr("hello world"): unable to parse IP',
    },
    4,
  ],
  ["ip('192.168.0.1').family()", { value: 4 }, 3],
  ["ip('::1').family()", { value: 6 }, 2],
  ["ip('0.0.0.0').isUnspecified()", { value: true }, 2],
  ["ip('::').isUnspecified()", { value: true }, 2],
  ["ip('127.3.0.1').isLoopback()", { value: true }, 2],
  ["ip('::1').isLoopback()", { value: true }, 2],
  ["ip('224.0.0.1').isLinkLocalMulticast()", { value: true }, 2],
  ["ip('224.0.1.1').isLinkLocalMulticast()", { value: false }, 2],
  ["ip('ff02::1').isLinkLocalMulticast()", { value: true }, 2],
  ["ip('fe80::1').isLinkLocalUnicast()", { value: true }, 2],
  ["ip('169.254.1.1').isLinkLocalUnicast()", { value: true }, 3],
  ["ip('192.168.0.1').isGlobalUnicast()", { value: true }, 3],
  ["ip('255.255.255.255').isGlobalUnicast()", { value: false }, 3],
  ["ip('2001:db8::1').isGlobalUnicast()", { value: true }, 3],
  ["ip('127.0.0.1').isGlobalUnicast()", { value: false }, 2],
  ["ip('127.0.0.1') == ip('127.0.0.1')", { value: true }, 3],
  ["ip('::1') == ip('0:0:0:0:0:0:0:1')", { value: true }, 4],
  ["type(ip('127.0.0.1'))", { type: 'net.IP' }, 2],
  ["type(ip('127.0.0.1')) == net.IP", { value: true }, 3],
  ['net.IP', { type: 'net.IP' }, 0],
  ['net.CIDR', { type: 'net.CIDR' }, 0],
  ['ip(u).family()', { value: 4 }, 3],
  ['ip(u) == ip(u)', { value: true }, 5],
  ['string(ip(u))', { value: '1.2.3.4' }, 3],
  ['string(ip(u)).contains(t)', { value: false }, 5],
  ["cidr('10.0.0.0/8')", { type: 'net.CIDR' }, 1],
  ["cidr('10.0.0.5/8')", { type: 'net.CIDR' }, 1],
  ["string(cidr('10.0.0.5/8'))", { value: '10.0.0.5/8' }, 2],
  [
    "cidr('::ffff:10.0.0.0/104')",
    {
      error:
        'network address parse error during conversion from string: IPv4-mapped IPv6 address "::ffff:10.0.0.0/104" is not allowed',
    },
    2,
  ],
  [
    "cidr('10.0.0.0/33')",
    {
      error:
        'network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0/33"): prefix length out of range',
    },
    2,
  ],
  [
    "cidr('10.0.0.0')",
    {
      error:
        'network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0"): no \'/\'',
    },
    1,
  ],
  [
    "cidr('010.0.0.0/8')",
    {
      error:
        'network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("010.0.0.0/8"): ParseAddr("010.0.0.0"): IPv4 field has octet with leading zero',
    },
    2,
  ],
  [
    "cidr('10.0.0.0/08')",
    {
      error:
        'network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0/08"): bad bits after slash: "08"',
    },
    2,
  ],
  [
    "cidr('fe80::1%e/64')",
    {
      error:
        'network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("fe80::1%e/64"): IPv6 zones cannot be present in a prefix',
    },
    2,
  ],
  [
    "cidr('')",
    {
      error:
        'network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix(""): no \'/\'',
    },
    0,
  ],
  ["isCIDR('10.0.0.0/8')", { value: true }, 1],
  ["isCIDR('10.0.0.0')", { value: false }, 1],
  ['isCIDR(s)', { value: false }, 3],
  ["cidr('10.0.0.0/8').containsIP('10.1.2.3')", { value: true }, 3],
  ["cidr('10.0.0.0/8').containsIP(ip('11.1.2.3'))", { value: false }, 3],
  ["cidr('10.0.0.0/8').containsIP('x')", { error: 'no such overload' }, 3],
  ["cidr('10.0.0.0/8').containsIP('::ffff:10.1.2.3')", { error: 'no such overload' }, 4],
  ["cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')", { value: true }, 6],
  ["cidr('10.0.0.0/8').containsCIDR(cidr('10.0.0.0/8'))", { value: true }, 5],
  ["cidr('10.0.0.0/8').containsCIDR(cidr('0.0.0.0/0'))", { value: false }, 5],
  [
    "cidr('10.0.0.5/8').containsCIDR('x')",
    {
      error:
        'network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("x"): no \'/\'',
    },
    5,
  ],
  ["cidr('10.0.0.0/16').containsCIDR(cidr('10.0.0.0/8'))", { value: false }, 6],
  ["cidr('10.0.0.5/8').ip()", { type: 'net.IP' }, 2],
  ["string(cidr('10.0.0.5/8').ip())", { value: '10.0.0.5' }, 3],
  ["string(cidr('10.0.0.5/8').masked())", { value: '10.0.0.0/8' }, 3],
  ["cidr('10.0.0.5/8').masked() == cidr('10.0.0.0/8')", { value: true }, 4],
  ["cidr('10.0.0.5/8') == cidr('10.0.0.0/8')", { value: false }, 3],
  ["cidr('10.0.0.0/8').prefixLength()", { value: 8 }, 2],
  ["type(cidr('10.0.0.0/8'))", { type: 'net.CIDR' }, 2],
  ["cidr('10.0.0.0/8').containsIP(u)", { value: false }, 4],
  ["cidr('10.0.0.0/8').containsIP(ip(u))", { value: false }, 4],
  [
    "cidr('10.0.0.0/8').containsCIDR(u)",
    {
      error:
        'network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("1.2.3.4"): no \'/\'',
    },
    6,
  ],
  [
    'cidr(u).ip()',
    {
      error:
        'network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("1.2.3.4"): no \'/\'',
    },
    3,
  ],
  [
    'cidr(u).masked()',
    {
      error:
        'network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("1.2.3.4"): no \'/\'',
    },
    3,
  ],
  [
    'cidr(u).prefixLength()',
    {
      error:
        'network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("1.2.3.4"): no \'/\'',
    },
    3,
  ],
  [
    "cidr('2001:db8:1111:2222:3333:4444:5555:6666/128').containsIP('2001:db8:1111:2222:3333:4444:5555:6666')",
    { value: true },
    13,
  ],
  [
    "cidr('2001:db8:1111:2222:3333:4444:5555:6666/128').containsIP(ip('2001:db8:1111:2222:3333:4444:5555:6666'))",
    { value: true },
    13,
  ],
  [
    "cidr('2001:db8:1111:2222:3333:4444:5555:6666/128').containsCIDR('2001:db8:1111:2222:3333:4444:5555:6666/128')",
    { value: true },
    17,
  ],
  [
    "cidr('2001:db8:1111:2222:3333:4444:5555:6666/128').containsCIDR(cidr('2001:db8:1111:2222:3333:4444:5555:6666/128'))",
    { value: true },
    17,
  ],
  ["ip('2001:db8:1111:2222:3333:4444:5555:6666').family()", { value: 6 }, 5],
  ["ip('2001:db8:1111:2222:3333:4444:5555:6666') == ip('2001:db8:1111:2222:3333:4444:5555:6666')", { value: true }, 9],
  ["cidr('255.255.255.255/32').containsIP(ip('255.255.255.255'))", { value: true }, 5],
  ["cidr('255.255.255.255/32').containsCIDR(cidr('255.255.255.255/32'))", { value: true }, 7],
]);
