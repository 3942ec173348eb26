// Writes more of this folder's files, with the Java writer, which S3 and Hive
// use: see make.py for the texts beside them.
//
//   mvn dependency:get -Dartifact=org.apache.orc:orc-tools:1.9.8:jar:uber
//   java -cp orc-tools-1.9.8-uber.jar Make.java

import java.io.File;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TimeZone;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.orc.storage.ql.exec.vector.*;
import org.apache.orc.CompressionKind;
import org.apache.orc.OrcFile;
import org.apache.orc.TypeDescription;
import org.apache.orc.Writer;

public class Make {
  static final String COLUMNS = "key id c v t s i l b bin at ins";
  static final TypeDescription SCHEMA = TypeDescription.fromString(
      "struct<key:string,nested:struct<x:array<int>>,id:string,c:char(8),v:varchar(9),t:tinyint,s:smallint,i:int,"
          + "l:bigint,b:boolean,bin:binary,at:timestamp,ins:timestamp with local time zone>");
  static final int ROWS = 1100;

  public static void main(String[] args) throws Exception {
    text();
    for (OrcFile.Version version : new OrcFile.Version[] {OrcFile.Version.V_0_11, OrcFile.Version.V_0_12}) {
      String v = version == OrcFile.Version.V_0_11 ? "011" : "012";
      write("java.zlib-" + v, version, CompressionKind.ZLIB, "UTC", 262144, 64 << 20);
    }
    write("java.snappy-chunks-012", OrcFile.Version.V_0_12, CompressionKind.SNAPPY, "Europe/Berlin", 1024, 64 << 20);
    write("java.zstd-stripes-012", OrcFile.Version.V_0_12, CompressionKind.ZSTD, "America/New_York", 1024, 4096);
    write("java.none-012", OrcFile.Version.V_0_12, CompressionKind.NONE, "Asia/Tokyo", 262144, 64 << 20);
  }

  static void write(String name, OrcFile.Version version, CompressionKind kind, String zone, int buffer, long stripe)
      throws Exception {
    TimeZone.setDefault(TimeZone.getTimeZone(zone));
    File file = new File(name + ".orc");
    file.delete();
    Configuration conf = new Configuration();
    conf.set("orc.dictionary.key.threshold", "0.5");
    conf.set("orc.stripe.row.count", stripe < 10000 ? "300" : "1000000");
    conf.set("fs.file.impl", "org.apache.hadoop.fs.RawLocalFileSystem");
    conf.set("orc.rows.between.memory.checks", "100");
    Writer w = OrcFile.createWriter(new Path(file.getAbsolutePath()), OrcFile.writerOptions(conf).setSchema(SCHEMA)
        .version(version).compress(kind).bufferSize(buffer).enforceBufferSize().stripeSize(stripe)
        .rowIndexStride(1000).bloomFilterColumns("key"));
    VectorizedRowBatch batch = SCHEMA.createRowBatch();
    Random r = new Random(4);
    for (int i = 0; i < ROWS; i++) {
      fill(batch, batch.size++, row(i, r));
      if (batch.size == batch.getMaxSize() || i == ROWS - 1) {
        w.addRowBatch(batch);
        batch.reset();
      }
    }
    w.close();
  }

  // row makes the values of a row: String, byte[], Long, Boolean, or Timestamp, or null.
  static Object[] row(int i, Random r) {
    boolean marker = r.nextInt(9) == 0;
    long big = i % 97 == 7 ? r.nextLong() : r.nextInt(900);
    byte[] bin = new byte[r.nextInt(3)];
    r.nextBytes(bin);
    long millis = 1793494800000L + r.nextInt(100) * 86_400L;
    return new Object[] {
      "k/" + r.nextInt(100), marker ? null : "id" + r.nextInt(6), i < 500 ? null : "c" + r.nextInt(3),
      marker ? null : "v" + r.nextInt(5), (long) (i % 250 - 125), (long) (i * 7 % 30000), (long) (-i * 100), big,
      marker ? null : r.nextInt(3) == 0, bin, marker ? null : millis, millis - 1000L * i
    };
  }

  static void fill(VectorizedRowBatch batch, int at, Object[] row) {
    int n = 0;
    for (int c = 0; c < batch.cols.length; c++) {
      ColumnVector v = batch.cols[c];
      if (v instanceof StructColumnVector) {
        v.noNulls = false;
        v.isNull[at] = at % 2 == 0;
        ListColumnVector list = (ListColumnVector) ((StructColumnVector) v).fields[0];
        list.offsets[at] = 0;
        list.lengths[at] = 1;
        list.childCount = 1;
        continue;
      }
      Object o = row[n++];
      v.isNull[at] = o == null;
      if (o == null) {
        v.noNulls = false;
        continue;
      }
      if (v instanceof LongColumnVector) {
        ((LongColumnVector) v).vector[at] = o instanceof Boolean ? ((Boolean) o ? 1 : 0) : (Long) o;
      } else if (v instanceof BytesColumnVector) {
        byte[] b = o instanceof byte[] ? (byte[]) o : ((String) o).getBytes(StandardCharsets.UTF_8);
        ((BytesColumnVector) v).setVal(at, b);
      } else {
        // A timestamp is what the clock shows here, an instant is one.
        long shift = c == 11 ? offsetBack((Long) o) : 0;
        ((TimestampColumnVector) v).set(at, new Timestamp((Long) o - shift));
      }
    }
  }

  // offsetBack finds by how much to move an instant for the clock here to show it as UTC does.
  static long offsetBack(long millis) {
    TimeZone zone = TimeZone.getDefault();
    long offset = zone.getOffset(millis);
    return zone.getOffset(millis - offset);
  }

  static void text() throws Exception {
    Random r = new Random(4);
    List<String> lines = new ArrayList<>();
    MessageDigest sum = MessageDigest.getInstance("SHA-256");
    for (int i = 0; i < ROWS; i++) {
      List<String> cells = new ArrayList<>();
      for (Object o : row(i, r)) {
        cells.add(cell(o));
      }
      String line = String.join("\t", cells);
      sum.update((line + "\n").getBytes(StandardCharsets.US_ASCII));
      lines.add(line);
    }
    try (PrintWriter out = new PrintWriter("java.txt", "US-ASCII")) {
      out.printf("columns %s\nrows %d\nsha256 %s\n", COLUMNS, ROWS, hex(sum.digest(), "%02x"));
      for (int i = 0; i < ROWS; i++) {
        if (i < 5 || i % 100 == 0) {
          out.printf("%d\t%s\n", i, lines.get(i));
        }
      }
    }
  }

  static String cell(Object o) {
    if (o == null) {
      return "-";
    }
    if (o instanceof String || o instanceof byte[]) {
      byte[] b = o instanceof byte[] ? (byte[]) o : ((String) o).getBytes(StandardCharsets.UTF_8);
      StringBuilder s = new StringBuilder("=");
      for (byte x : b) {
        char ch = (char) (x & 255);
        boolean plain = ch < 128 && (Character.isLetterOrDigit(ch) || "_./-".indexOf(ch) >= 0);
        s.append(plain ? "" + ch : hex(new byte[] {x}, "%%%02X"));
      }
      return s.toString();
    }
    return o.toString();
  }

  static String hex(byte[] b, String format) {
    StringBuilder s = new StringBuilder();
    for (byte x : b) {
      s.append(String.format(format, x));
    }
    return s.toString();
  }
}
