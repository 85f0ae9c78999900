// SPDX-License-Identifier: BSL-1.0
import com.dynatrace.hash4j.hashing.Hashing;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.jpountz.xxhash.XXHashFactory;

/**
 * Makes tests/golden's shards.tsv anew of its ids, or the partition keys of keys.tsv; class Shard is the
 * documentation's. usage: Golden shards|keys &lt; FILE
 */
final class Golden {
  static long jump(long key, long shards) {
    long found = 0;
    for (long next = 0; next < shards; ) {
      found = next;
      key = key * 2862933555777941757L + 1;
      next = (long) ((found + 1) * ((double) (1L << 31) / ((key >>> 33) + 1)));
    }
    return found;
  }

  static byte[] bytesOf(String text) {
    return text.equals("-") ? new byte[0] : HexFormat.of().parseHex(text);
  }

  static long modulo(byte[] id, long shards) {
    try {
      return Shard.of(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(id)).toString(), shards);
    } catch (CharacterCodingException notText) {
      return Long.remainderUnsigned(Hashing.xxh3_64().hashBytesToLong(id), shards);
    }
  }

  static String cell(String column, byte[] id) {
    long hash = Hashing.xxh3_64().hashBytesToLong(id);
    if (column.equals("xxh3_64")) return HexFormat.of().toHexDigits(hash);
    if (column.equals("xxh64"))
      return HexFormat.of().toHexDigits(XXHashFactory.safeInstance().hash64().hash(id, 0, id.length, 0));
    if (column.startsWith("jump")) return Long.toString(jump(hash, Long.parseLong(column.substring(4))));
    return Long.toString(modulo(id, Long.parseLong(column.substring(3))));
  }

  static final Pattern PARAMETER = Pattern.compile("(\\d+)(\\D)(\\d+),(\\d+)");

  static String partitionKey(String parameter, byte[] id) {
    Matcher part = PARAMETER.matcher(parameter);
    if (!part.matches()) throw new IllegalArgumentException(parameter);
    StringBuilder shard = new StringBuilder(Long.toString(modulo(id, Long.parseLong(part.group(1)))));
    while (shard.length() < Integer.parseInt(part.group(3))) shard.insert(0, '0');
    String middle = part.group(4).equals("0") ? "" : "g" + part.group(4) + part.group(2);
    return "RenewalSaga" + part.group(2) + middle + shard;
  }

  public static void main(String[] arguments) throws Exception {
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String[] columns = null;
    for (String line; (line = in.readLine()) != null; ) {
      String[] fields = line.split("\t", -1);
      if (arguments[0].equals("keys")) {
        fields[3] = partitionKey(fields[1], bytesOf(fields[2]));
      } else if (columns == null) {
        columns = fields;
      } else {
        for (int place = 1; place < columns.length; ++place)
          fields[place] = cell(columns[place], bytesOf(fields[0]));
      }
      out.print(String.join("\t", fields) + "\n");
    }
    out.flush();
  }
}
